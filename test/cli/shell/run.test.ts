import type { WorkflowHandle } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import type { Preflight } from "../../../src/cli/session/preflight.js";
import type { Job, WatchedRun } from "../../../src/cli/shell/kind.js";
import { reportRun } from "../../../src/cli/shell/run.js";
import { NO_REASON, type RunStatus, type RunSummary } from "../../../src/domain/run.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

const job: Job = {
  start: () => Promise.reject(new Error("a report starts nothing")),
  kind: {
    kind: "job",
    progress: { bar: "", figures: () => ({ done: 0, total: 0 }), line: () => "" },
    left: () => ({ totals: {}, notes: ["a note"] }),
    notes: () => ["a note"],
    summary: () => [],
    next: () => [],
  },
};

function completed(status: RunStatus, unauthorized = false): WatchedRun["end"] {
  const result: RunSummary = {
    run_id: "job-1",
    status,
    ...NO_REASON,
    duration_ms: 0,
    lake_root: null,
    unauthorized,
  };
  return { kind: "completed", result };
}

const AGAIN = "npx nightledger sync --roster 'my users.csv'";

async function report(end: WatchedRun["end"], json = false) {
  const out: string[] = [];
  const said: string[] = [];
  const terminal = {
    ...SILENT,
    again: AGAIN,
    result: (text: string) => void out.push(text),
    say: (line: string) => void said.push(line),
  };
  const started = { handle: {} as WorkflowHandle, runId: "job-1", memo: {}, joined: false };
  const run: WatchedRun = { started, end, sofar: undefined, watchedMs: 0 };
  return { code: await reportRun(terminal, {} as Preflight, job, run, json), out, said };
}

describe("the report of a run", () => {
  const ends: [string, WatchedRun["end"], RunStatus, number, RegExp | undefined][] = [
    ["completed", completed("completed"), "completed", 0, undefined],
    [
      "completed with failures",
      completed("completed_with_failures"),
      "completed_with_failures",
      1,
      undefined,
    ],
    [
      "ended by refused credentials",
      completed("failed", true),
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
    expect([text.code, text.out.join()]).toEqual([code, expect.stringContaining(`status    ${status}`)]);
    expect(text.said[0]).toBe("a note");
    expect(text.said.slice(1).join("\n")).toMatch(words ?? /^$/);
    const json = await report(end, true);
    expect(JSON.parse(json.out.join())).toMatchObject({ status });
    expect([json.code, json.said]).toEqual([code, text.said]);
  });
});
