import { expect, test } from "vitest";
import { nextSteps } from "../../../src/cli/bulk/form.js";

const RETRY = "nightledger runs retry import-1";
const isUnsure = (reason: string) => reason === "lost";
const stepsFor = (reasons: readonly string[], isAll = true) =>
  nextSteps({ kind: "import", isUnsure }, { runId: "import-1", reasons, isAll });

test.each<[string, readonly string[], boolean, string]>([
  ["refused rows: a retry", ["no"], true, `run again only what failed: ${RETRY}`],
  [
    "rows that may have been carried out: a deliberate retry",
    ["lost", "lost"],
    true,
    `what failed may have been carried out: check that, and then send it again with ${RETRY} --send-unknown`,
  ],
  [
    "both: what each of them takes",
    ["no", "lost"],
    true,
    `run again only what failed: ${RETRY}; add --send-unknown to send again also what may have been carried out, once you have checked that`,
  ],
])("%s", (_, reasons, isAll, words) => {
  expect(stepsFor(reasons, isAll)).toEqual([words]);
});

test("ids that the service does not know: no retry helps, and of others it does", () => {
  const right = expect.stringMatching(/^put the unknown ids right in the file/);
  expect(stepsFor(["not_found", "not_found: no such user"])).toEqual([right]);
  expect(stepsFor(["not_found", "no"])).toEqual([right, `run again only what failed: ${RETRY}`]);
  expect(stepsFor(["not_found"], false)).toEqual([right, `run again only what failed: ${RETRY}`]);
});

test("reasons that are not all known do not speak for all rows", () => {
  expect(stepsFor(["lost"], false)).toEqual([expect.stringContaining("; add --send-unknown")]);
});

test("a kind whose table says more names the query", () => {
  const failedRows = (runId: string) => `select * from t where run_id = '${runId}'`;
  expect(nextSteps({ kind: "import", failedRows }, { runId: "r-1", reasons: ["no"], isAll: true })).toEqual([
    `see what failed: nightledger query "select * from t where run_id = 'r-1'"`,
    "run again only what failed: nightledger runs retry r-1",
  ]);
});
