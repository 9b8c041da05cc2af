import { createHash } from "node:crypto";
import { failedRowsOf } from "../../domain/bulk/bulk-job.js";
import type { BulkTotals } from "../../domain/bulk/bulk-totals.js";
import { type FrozenBulkRow, frozenLine } from "../../domain/bulk/frozen-row.js";
import type { RunStatus } from "../../domain/run.js";
import { appendOnce } from "../../lake/tables/append.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { runs } from "../../lake/tables/runs.js";
import { VERSION } from "../../version.js";
import { withHeartbeat } from "../heartbeat.js";
import { type BulkDependencies, type BulkRun, jobOf, stagingOf } from "./dependencies.js";
import { endedItems, notBegun } from "./ended-items.js";

interface FinishBulkInput extends BulkRun {
  readonly jobId: string;
  readonly status: RunStatus;
  readonly totals: BulkTotals;
  /** Groups that were closed: the first so many. */
  readonly groups: number;
  /** ISO instant at which the run was asked for. */
  readonly startedAt: string;
}

/** Writes the run's row, once, keeps the rows that failed for a retry, and deletes everything else it staged. */
export async function finishBulk(
  deps: BulkDependencies,
  input: FinishBulkInput,
): Promise<{ readonly duration_ms: number }> {
  return withHeartbeat(async () => {
    const { runId, jobId, kind, status, totals, startedAt } = input;
    const finishedAt = new Date();
    const duration_ms = finishedAt.getTime() - Date.parse(startedAt);
    const staging = stagingOf(deps, input);
    const file = await staging.findFile();
    await appendOnce(deps.lake, runs, `${runId}/run`, () =>
      writeRows(deps.lake, runs, runId, [
        {
          run_id: runId,
          job_id: jobId,
          kind,
          status,
          options: JSON.stringify(file?.options ?? {}),
          roster_sha256: file?.sha256,
          users: totals.rows.total,
          failed: totals.rows.failed,
          skipped: totals.rows.skipped,
          calls: totals.calls,
          started_at: startedAt,
          finished_at: finishedAt.toISOString(),
          version: VERSION,
        },
      ]),
    );
    // A repetition: the first one may have ended while it deleted.
    if (file === undefined) {
      await staging.drop();
      return { duration_ms };
    }
    if (await hasOpenGroup(deps, input)) return { duration_ms };
    const isWhole = status === "completed" || status === "completed_with_failures";
    if (totals.rows.failed > 0 && isWhole) await keepFailedRows(deps, input);
    if (file.retryOf !== null && isWhole) {
      await stagingOf(deps, { ...input, staging: failedRowsOf(file.retryOf) }).drop();
    }
    await staging.drop();
    return { duration_ms };
  });
}

/**
 * Whether a group of a job with an effect was planned and its rows could not be written: what it has sent is known by
 * the staging alone, and the next run of the job continues it.
 */
async function hasOpenGroup(deps: BulkDependencies, input: FinishBulkInput): Promise<boolean> {
  if (!jobOf(deps, input).effect) return false;
  const staging = stagingOf(deps, input);
  for (let group = 0; group < input.groups; group += 1) {
    if (await staging.isWritten(group)) continue;
    if ((await staging.plan(group)) !== undefined) return true;
  }
  return false;
}

/** Keeps the rows that failed for a retry (`keptRows`). */
async function keepFailedRows(deps: BulkDependencies, input: FinishBulkInput): Promise<void> {
  const target = stagingOf(deps, { ...input, staging: failedRowsOf(input.runId) });
  // A repetition: the first one may have ended while it deleted what the rows are made of.
  if ((await target.findFile()) !== undefined) return;
  const hash = createHash("sha256");
  let rows = 0;
  let invalid = 0;
  for await (const row of keptRows(deps, input)) {
    hash.update(frozenLine(row));
    rows += 1;
    if (row.row === null) invalid += 1;
  }
  const file = await stagingOf(deps, input).file();
  // Nobody may ever retry: a secret must not wait for that.
  const secrets = Object.fromEntries(Object.keys(file.secrets).map((name) => [name, null]));
  const kept = { ...file, secrets, rows, invalid, sha256: hash.digest("hex"), retryOf: input.runId };
  await target.freeze(kept, keptRows(deps, input));
}

/**
 * The rows that failed; of a kind that publishes everything at once all rows, with the results of the others, so that
 * what a retry publishes is whole.
 */
async function* keptRows(deps: BulkDependencies, input: FinishBulkInput): AsyncGenerator<FrozenBulkRow> {
  const job = jobOf(deps, input);
  const staging = stagingOf(deps, input);
  for (let group = 0; group < input.groups; group += 1) {
    const { items, rows } = await endedItems(deps, { ...input, group }, await staging.close(group));
    const failed = new Set(notBegun(items, rows).map(({ line }) => line));
    const results = new Map<number, unknown>();
    for (const item of items) {
      for (const { line, status } of job.ends(item)) {
        if (status === "failed") failed.add(line);
        else results.set(line, item.result);
      }
    }
    for (const { result: _, ...row } of rows) {
      if (failed.has(row.line)) yield row;
      else if (job.pack !== undefined) yield { ...row, result: results.get(row.line) };
    }
  }
}
