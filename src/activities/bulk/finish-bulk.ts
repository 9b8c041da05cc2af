import type { BulkOptions, BulkRun, FrozenBulkRow } from "../../domain/bulk/bulk-job.js";
import type { BulkTotals } from "../../domain/bulk/bulk-totals.js";
import { StagingLostError } from "../../domain/failures.js";
import type { Phases } from "../../domain/phases.js";
import { type EndReason, isCutShort, leftOf, type NewRun, type RunStatus } from "../../domain/run.js";
import type { FrozenFile } from "../../lake/bulk/bulk-staging.js";
import { compactMany } from "../../lake/tables/compact.js";
import { dropStaged, type EndedRow, recordFailures, writeRunRow } from "../run-row.js";
import { type BulkDependencies, openGroup, openRun, stagingOf } from "./open-group.js";

interface FinishBulkInput extends BulkRun, NewRun {
  readonly jobId: string;
  readonly status: RunStatus;
  readonly why: EndReason;
  readonly totals: BulkTotals;
  /** How many groups were closed; these are the first ones. */
  readonly groups: number;
  readonly pausedMs: number;
  readonly phases: Phases;
}

/** Writes the run's row, once, keeps what failed, or all of a run that was cut short, for a retry, and deletes everything else it staged. */
export async function finishBulk(deps: BulkDependencies, input: FinishBulkInput): Promise<EndedRow> {
  const { runId, totals, pausedMs: paused_ms } = input;
  const { staging } = openRun(deps, input);
  const file = await staging.file.find();
  const { rows, calls, answer_bytes } = totals;
  const steps = totals.failures.filter(({ line }) => line === 0);
  await recordFailures(deps.lake, { runId, part: "steps" }, steps);
  const ended = await writeRunRow(deps, {
    ...input,
    options: shownOptions(file?.options ?? {}),
    rosterSha256: file?.sha256,
    rows: { done: rows.done, failed: rows.failed + rows.invalid, skipped: rows.skipped },
    counts: { users: rows.total, failed: rows.failed, skipped: rows.skipped, calls, answer_bytes, paused_ms },
  });
  if (file !== undefined) {
    if (await hasOpenGroup(deps, input)) return ended;
    const isLeft = isCutShort(input.why) || rows.failed > 0;
    const isKept = !isLeft || (await keepRows(deps, input, file));
    if (isKept && file.retryOf !== null) await stagingOf(deps, leftOf(file.retryOf)).drop();
  }
  // Also without a file: an earlier attempt may have been killed while it deleted.
  await dropStaged(deps.log, runId, () => staging.drop());
  await mergeSmallFiles(deps, input);
  return ended;
}

/** The options as the table shows them: a list as one text. */
function shownOptions(options: BulkOptions): BulkOptions {
  const shown = Object.entries(options).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(",") : value,
  ]);
  return Object.fromEntries(shown);
}

/**
 * Merges the files that groups left in the tables: every plan of a later run reads them. The run has ended, so where this
 * fails, a later run merges them.
 */
async function mergeSmallFiles(deps: BulkDependencies, input: FinishBulkInput): Promise<void> {
  for (const table of openRun(deps, input).job.tables) {
    try {
      await compactMany(deps.lake, table);
    } catch (error) {
      const told = { runId: input.runId, table: table.name, err: error };
      deps.log.warn(told, "could not merge small files of a table");
    }
  }
}

/** Whether a planned group of a job with an effect has unwritten rows: only its staging knows what was sent. */
async function hasOpenGroup(deps: BulkDependencies, input: FinishBulkInput): Promise<boolean> {
  const { job, staging } = openRun(deps, input);
  for (let group = 0; job.effect && group < input.groups; group += 1) {
    if (await staging.isWritten(group)) continue;
    if ((await staging.plan(group).find()) !== undefined) return true;
  }
  return false;
}

/** Keeps rows for a retry; false where what they are read from is gone. */
async function keepRows(deps: BulkDependencies, input: FinishBulkInput, file: FrozenFile): Promise<boolean> {
  const target = stagingOf(deps, leftOf(input.runId));
  // An earlier attempt kept them; it may have been killed while it deleted what they are read from.
  if ((await target.file.find()) !== undefined) return true;
  const { job, staging } = openRun(deps, input);
  const left = rowsToRetry(deps, input, file);
  const copied = await target
    .copyRows(left, { count: job.groupRows }, staging.bytesOf)
    .catch((error: unknown) => {
      if (!(error instanceof StagingLostError)) throw error;
    });
  if (copied === undefined) return false;
  await target.file.putIfAbsent({ ...file, ...copied, retryOf: input.runId });
  return true;
}

/**
 * The rows that failed. Where the kind publishes all rows, also the others with their results: its retry is complete.
 * Of a run that was cut short, all rows, but without those that a kind with an effect has done.
 */
async function* rowsToRetry(
  deps: BulkDependencies,
  input: FinishBulkInput,
  file: FrozenFile,
): AsyncGenerator<FrozenBulkRow> {
  const { job, staging } = openRun(deps, input);
  const isCut = isCutShort(input.why);
  if (isCut && !job.effect) return yield* staging.everyRow(file);
  for (let number = 0; number < input.groups; number += 1) {
    const group = await openGroup(deps, { ...input, group: number });
    const close = await staging.closed(number);
    const items = await group.closedItems(close);
    const failed = new Set(group.notBegun(items).map(({ line }) => line));
    for (const { line, status } of items.flatMap(({ ends }) => ends))
      if (status === "failed") failed.add(line);
    const results = new Map<number, unknown>();
    for (const item of job.publish === undefined ? [] : await group.allEnded(close)) {
      for (const { line } of item.rows) results.set(line, item.result);
    }
    for (const { result: _, ...row } of group.rows) {
      if (failed.has(row.line)) yield row;
      else if (job.publish !== undefined) yield { ...row, result: results.get(row.line) };
    }
  }
  for (let group = input.groups; isCut && group < file.groups.total; group += 1) {
    yield* await staging.rowsOf(group);
  }
}
