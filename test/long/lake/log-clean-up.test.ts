import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";
import { KILLS, killCleaning, strikeEachStep } from "../../helpers/lake/log/clean-up-strikes.js";
import { STRIKES } from "../../helpers/lake/log/struck-store.js";

let lake: TestLake;
beforeAll(async () => {
  lake = await openTestLake();
});
afterAll(() => lake.release());

test.each(STRIKES)("a log is whole, and its table right, whatever step is %s", async (strike) => {
  expect(await strikeEachStep(lake, strike)).toBeGreaterThan(20);
});

test.each(KILLS)("a process that is killed before or after %s leaves a whole log", async (_, at) => {
  for (const when of ["before", "after"] as const) await killCleaning(lake, at, when);
});
