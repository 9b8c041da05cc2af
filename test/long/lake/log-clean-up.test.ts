import { expect, test } from "vitest";
import { eachFile } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { KILLS, killCleaning, strikeEachStep } from "../../helpers/lake/log/clean-up-strikes.js";
import { STRIKES } from "../../helpers/lake/log/struck-store.js";

const lake = eachFile(openTestLake);

test.each(STRIKES)("a log is whole, and its table right, whatever step is %s", async (strike) => {
  expect(await strikeEachStep(lake, strike)).toBeGreaterThan(20);
});

test.each(KILLS)("a process that is killed before or after %s leaves a whole log", async (_, at) => {
  for (const when of ["before", "after"] as const) await killCleaning(lake, at, when);
});
