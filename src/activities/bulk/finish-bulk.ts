import { createHash } from "node:crypto";
import { type BulkRun, failedRowsOf } from "../../domain/bulk/bulk-job.js";
import type { BulkTotals } from "../../domain/bulk/bulk-totals.js";
import { type FrozenBulkRow, frozenLine } from "../../domain/bulk/frozen-row.js";
import type { NewRun, RunStatus } from "../../domain/run.js";
import { withHeartbeat } from "../heartbeat.js";
import { recordFailures } from "../run-failures.js";
import { writeRunRow } from "../run-row.js";
import { type BulkDependencies, jobOf, stagingOf } from "./dependencies.js";
import { endedItems, notBegun } from "./ended-items.js";

interface FinishBulkInput extends BulkRun, NewRun {
  readonly jobId: string;
  readonly status: RunStatus;
  readonly totals: BulkTotals;
  /** Groups that were closed: the first so many. */
  readonly groups: number;
}

/** Writes the run's row, once, keeps the rows that failed for a retry, and deletes everything else it staged. */
export async function finishBulk(
  deps: BulkDependencies,
  input: FinishBulkInput,
): Promise<{ readonly duration_ms: number }> {
  return withHeartbeat(async () => {
    const { status, totals } = input;
    const staging = stagingOf(deps, input);
    const file = await staging.findFile();
    const { rows, calls } = totals;
    const steps = totals.failures.filter(({ line }) => line === 0);
    await recordFailures(deps.lake, { runId: input.runId, part: "steps" }, steps);
    const ended = await writeRunRow(deps, {
      ...input,
      options: file?.options ?? {},
      rosterSha256: file?.sha256,
      counts: { users: rows.total, failed: rows.failed, skipped: rows.skipped, calls },
    });
    // A repetition: the first one may have ended while it deleted.
    if (file === undefined) {
      await staging.drop();
      return ended;
    }
    if (await hasOpenGroup(deps, input)) return ended;
    const isWhole = status === "completed" || status === "completed_with_failures";
    if (totals.rows.failed > 0 && isWhole) await keepFailedRows(deps, input);
    if (file.retryOf !== null && isWhole) {
      await stagingOf(deps, { ...input, staging: failedRowsOf(file.retryOf) }).drop();
    }
    await staging.drop();
    return ended;
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
