import { afterAll, expect, test } from "vitest";
import { loseEachStep } from "../../helpers/kill/lost-answers.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

const FORMS = [
  ["its answer is lost", { when: "after" }],
  ["the answer is lost, and the state can't be read", { when: "after", blind: true }],
  ["the step itself fails", { when: "before" }],
] as const;

test.each(FORMS)("each step of a run, once %s: the same rows, one row per link and run", async (_, form) => {
  expect(await loseEachStep(temporal, form)).toEqual([]);
});
