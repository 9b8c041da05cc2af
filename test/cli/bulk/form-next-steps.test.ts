import { expect, test } from "vitest";
import { nextSteps } from "../../../src/cli/bulk/form.js";

const RETRY = "nightledger runs retry proxy-1";
const isUnsure = (reason: string) => reason === "lost";
const stepsFor = (reasons: readonly string[], isAll = true) =>
  nextSteps({ kind: "proxy", isUnsure }, { runId: "proxy-1", reasons, isAll, isNoneDone: false });

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
  expect(
    nextSteps(
      { kind: "proxy", failedRows },
      { runId: "r-1", reasons: ["no"], isAll: true, isNoneDone: true },
    ),
  ).toEqual([
    `see what failed: nightledger query "select * from t where run_id = 'r-1'"`,
    "run again only what failed: nightledger runs retry r-1",
  ]);
});

test.each<[string, readonly string[], boolean, readonly string[]]>([
  ["nothing was done, and all of it failed so", ["gone", "gone"], true, ["check the id"]],
  ["something was done", ["gone", "gone"], false, []],
  ["something failed otherwise", ["gone", "no"], true, []],
])("the advice of a kind comes first where %s", (_, reasons, isNoneDone, words) => {
  const advice = (reason: string) => (reason === "gone" ? "check the id" : undefined);
  const steps = nextSteps({ kind: "proxy", advice }, { runId: "proxy-1", reasons, isAll: true, isNoneDone });
  expect(steps).toEqual([...words, `run again only what failed: ${RETRY}`]);
});

// The retry was printed without them, and refused for it.
test("a retry is said with the headers and certificates that it must be given again", () => {
  const command = "nightledger proxy --config p --requests r.csv --header … --header @more --body-template t";
  const failed = { runId: "proxy-1", reasons: ["no"], isAll: true, isNoneDone: false };
  expect(nextSteps({ kind: "proxy" }, { ...failed, command })).toEqual([
    `run again only what failed: ${RETRY} --header …`,
  ]);
});
