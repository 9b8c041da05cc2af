import { afterAll, expect, test } from "vitest";
import { loseEachStep } from "../../helpers/kill/lost-answers.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

test("each fourth step of a run, once its answer is lost: the same rows, one row per link and run", async () => {
  expect(await loseEachStep(temporal, { when: "after" }, "each fourth")).toEqual([]);
});
