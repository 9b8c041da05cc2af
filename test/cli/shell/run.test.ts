import type { WorkflowHandle } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import type { Preflight } from "../../../src/cli/session/preflight.js";
import { endWithoutResult, type JobRun, type LeftRun, reportRun } from "../../../src/cli/shell/run.js";
import type { RunEnd } from "../../../src/cli/shell/watch.js";
import type { RunStatus } from "../../../src/domain/run.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

type Result = { readonly status: RunStatus; readonly unauthorized?: boolean };

const run: JobRun<number, Result> = {
  start: () => Promise.reject(new Error("a report starts nothing")),
  progress: { bar: "", figures: (done) => ({ done, total: done }), line: () => "" },
  outcome({ end }) {
    const summary = end?.kind === "completed" ? end.result : endWithoutResult(end);
    return { summary, text: `status ${summary.status}`, unauthorized: unauthorized(end), notes: ["a note"] };
  },
};

function unauthorized(end: RunEnd<Result> | undefined): boolean {
  return end?.kind === "completed" && end.result.unauthorized === true;
}

const AGAIN = "npx nightledger sync --roster 'my users.csv'";

async function report(end: RunEnd<Result> | undefined, json = false) {
  const out: string[] = [];
  const said: string[] = [];
  const terminal = {
    ...SILENT,
    again: AGAIN,
    result: (text: string) => void out.push(text),
    say: (line: string) => void said.push(line),
  };
  const started = { handle: {} as WorkflowHandle, runId: "job-1", memo: {}, joined: false };
  const left: LeftRun<number, Result> = { started, end, sofar: undefined, watchedMs: 0 };
  const outcome = await run.outcome(left, {} as Preflight);
  return { code: reportRun(terminal, left, outcome, { json }), out, said };
}

describe("the report of a run", () => {
  const ends: [string, RunEnd<Result> | undefined, RunStatus, number, RegExp | undefined][] = [
    ["completed", { kind: "completed", result: { status: "completed" } }, "completed", 0, undefined],
    [
      "completed with failures",
      { kind: "completed", result: { status: "completed_with_failures" } },
      "completed_with_failures",
      1,
      undefined,
    ],
    [
      "ended by refused credentials",
      { kind: "completed", result: { status: "failed", unauthorized: true } },
      "failed",
      4,
      /^the service refused the credentials \(exit 4\); check NIGHTLEDGER_API_KEY in both places: of this command \(.+\), and of the worker/,
    ],
    [
      "left running",
      undefined,
      "running",
      0,
      /^run job-1 continues without this command\. Rejoin it with:\n {2}npx nightledger sync --roster 'my users\.csv'$/,
    ],
    ["halted", { kind: "halted" }, "paused", 1, undefined],
    [
      "interrupted",
      { kind: "interrupted" },
      "paused",
      1,
      /^interrupted: the progress of run job-1 is saved\. Continue it with:\n {2}npx nightledger sync --roster 'my users\.csv'$/,
    ],
    ["cancelled", { kind: "cancelled" }, "cancelled", 1, undefined],
    [
      "failed",
      { kind: "failed", message: "no" },
      "failed",
      1,
      /^run job-1 could not write how it ended\. Do it again with:\n {2}npx/,
    ],
  ];
  it.each(ends)("that is %s: status, exit code and words", async (_, end, status, code, words) => {
    const text = await report(end);
    expect([text.code, text.out]).toEqual([code, [`status ${status}`]]);
    expect(text.said[0]).toBe("a note");
    expect(text.said.slice(1).join("\n")).toMatch(words ?? /^$/);
    const json = await report(end, true);
    expect(JSON.parse(json.out.join())).toMatchObject({ status });
    expect([json.code, json.said]).toEqual([code, text.said]);
  });
});
