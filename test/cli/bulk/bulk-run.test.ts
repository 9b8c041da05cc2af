import type { WorkflowHandle } from "@temporalio/client";
import { expect, test } from "vitest";
import { bulkRun } from "../../../src/cli/bulk/bulk-run.js";
import { noBulkTotals } from "../../../src/domain/bulk/bulk-totals.js";
import type { RunStatus } from "../../../src/domain/run.js";

const run = bulkRun({ kind: "import", effect: true }, () =>
  Promise.reject(new Error("a report starts nothing")),
);
const started = { handle: {} as WorkflowHandle, runId: "import-1", memo: {}, joined: false };
const totals = { ...noBulkTotals(), rows: { total: 2, done: 1, failed: 1, invalid: 0, skipped: 0 } };

async function notesOf(status: RunStatus) {
  const result = {
    run_id: "import-1",
    job: "import",
    status,
    ...totals,
    duration_ms: 1,
    unauthorized: false,
  };
  const end = { kind: "completed", result } as const;
  return (await run.outcome({ started, end, sofar: undefined, watchedMs: 0 })).notes;
}

test.each<[RunStatus, number]>([
  ["completed_with_failures", 1],
  // These keep no failed rows.
  ["cancelled", 0],
  ["failed", 0],
])("a run that ended %s has %i words on a retry", async (status, words) => {
  expect((await notesOf(status)).filter((note) => note.includes("runs retry import-1"))).toHaveLength(words);
});

test("a run that was ended from outside names the command that brings it to its end", async () => {
  const { notes } = await run.outcome({
    started,
    end: { kind: "cancelled" },
    sofar: undefined,
    watchedMs: 0,
  });
  expect(notes).toEqual([expect.stringContaining("nightledger imports continue")]);
});

test("a run that goes on is not to be retried", async () => {
  const sofar = { runId: "import-1", rows: 2, phase: "working", totals } as const;
  expect((await run.outcome({ started, end: undefined, sofar, watchedMs: 0 })).notes).toEqual([]);
});
