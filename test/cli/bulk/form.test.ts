import type { WorkflowHandle } from "@temporalio/client";
import { expect, test } from "vitest";
import { bulkKind } from "../../../src/cli/bulk/form.js";
import type { Preflight } from "../../../src/cli/session/preflight.js";
import type { Job, WatchedRun } from "../../../src/cli/shell/kind.js";
import { outcomeOf } from "../../../src/cli/shell/run.js";
import { type BulkProgress, noBulkTotals } from "../../../src/domain/bulk/bulk-totals.js";
import { NO_REASON, type RunStatus } from "../../../src/domain/run.js";
import { importJob } from "../../../src/jobs/import.js";

const LAKE = {} as Preflight;

const job: Job = {
  kind: bulkKind({ kind: "import", effect: true, file: importJob.file }),
  start: () => Promise.reject(new Error("a report starts nothing")),
};
const outcome = (end: WatchedRun["end"], sofar?: BulkProgress) =>
  outcomeOf(job, { started, end, sofar, watchedMs: 0 }, LAKE);
const started = { handle: {} as WorkflowHandle, runId: "import-1", memo: {}, joined: false };
const totals = { ...noBulkTotals(), rows: { total: 2, done: 1, failed: 1, invalid: 0, skipped: 0 } };

async function notesOf(status: RunStatus) {
  const result = {
    run_id: "import-1",
    job: "import",
    status,
    ...NO_REASON,
    ...totals,
    duration_ms: 1,
    lake_root: null,
    unauthorized: false,
  };
  const end = { kind: "completed", result } as const;
  return (await outcome(end)).notes;
}

test.each<[RunStatus, number]>([
  ["completed_with_failures", 1],
  // These keep no failed rows.
  ["cancelled", 0],
  ["failed", 0],
])("a run that ended %s has %i words on a retry", async (status, words) => {
  expect((await notesOf(status)).filter((note) => note.includes("runs retry import-1"))).toHaveLength(words);
});

test("a run that was ended from outside names the command that finishes it", async () => {
  const { notes } = await outcome({ kind: "cancelled" });
  expect(notes).toEqual([expect.stringContaining("nightledger import continue")]);
});

test("a command that leaves its run says what the run waits for", async () => {
  const times = { next_try_at: "2026-11-22T02:00:00Z", gives_up_at: "2026-11-22T03:00:00Z" };
  const waits = {
    waiting: [{ line: 3, owner: "fp_1", reason: "http_503", attempts: 2, ...times }],
    ...{ waiting_total: 1, throttled_until: null, waits_for_place: false, learned_limit: null },
  };
  const sofar = { runId: "import-1", rows: 2, phase: "working", totals, held: 0, ...waits } as const;
  const left = await outcome({ kind: "interrupted" }, sofar);
  expect(left.summary).toMatchObject(waits);
  expect(left.text).toContain("waiting: line 3, fp_1 http_503, 3rd try now, gives up after ");
  const ended = await outcome({ kind: "cancelled" }, sofar);
  expect(ended.summary).not.toHaveProperty("waiting");
});

test("a failed row is named by its line, and numbers by what they count", async () => {
  const result = {
    ...{
      run_id: "cip-1",
      job: "cip",
      duration_ms: 1,
      lake_root: null,
      unauthorized: false,
    },
    ...totals,
    status: "completed_with_failures",
    ...NO_REASON,
    ...{ failures: [{ line: 2, owner: "fp_1", reason: "not_found" }], failures_total: 1 },
    ...{ exported: 5, failed: 1, people: { exported: 5, failed: 1 } },
  } as const;
  const end = { kind: "completed", result } as const;
  const { text } = await outcome(end);
  expect(text.split("\n").slice(-2)).toEqual([
    "people    5 exported, 1 failed",
    "failed    line 2, fp_1: not_found",
  ]);
});
