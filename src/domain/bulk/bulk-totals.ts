import { addRefusals, type Refusals } from "../refusals.js";
import type { RunStatus } from "../run.js";

/** A row that failed, and why. */
interface RowFailure {
  /** Line of the input file. */
  readonly line: number;
  /** Whose row it is, by an id of the service. */
  readonly owner: string;
  readonly reason: string;
  /** What the service said, where it refused a request of the row, masked. */
  readonly message?: string;
}

/** Counts of a bulk job, or of a part of it; parts add up. */
export interface BulkTotals {
  /** Each row of the file under one of the last four, once the run has ended. */
  readonly rows: {
    readonly total: number;
    readonly done: number;
    readonly failed: number;
    readonly invalid: number;
    readonly skipped: number;
  };
  /** Requests sent, repeats included. */
  readonly calls: number;
  /** The first hundred. */
  readonly failures: readonly RowFailure[];
  readonly failures_total: number;
  /**
   * What the service refused, by rows that failed by it: the first ten different ones. What an older version counted
   * has none.
   */
  readonly refusals?: readonly Refusals[];
}

/** What a job of this kind prints with `--json`. */
export interface BulkSummary extends BulkTotals {
  readonly run_id: string;
  /** Kind of the job. */
  readonly job: string;
  readonly status: RunStatus;
  readonly duration_ms: number;
  /** What else the kind tells of its run, such as where its pack lies. */
  readonly [told: string]: unknown;
}

const MOST_FAILURES = 100;

/** Nothing done yet. */
export function noBulkTotals(): BulkTotals {
  return {
    rows: { total: 0, done: 0, failed: 0, invalid: 0, skipped: 0 },
    calls: 0,
    failures: [],
    failures_total: 0,
    refusals: [],
  };
}

/** Two parts together. */
export function addBulkTotals(a: BulkTotals, b: BulkTotals): BulkTotals {
  const rows = { ...a.rows };
  for (const count of Object.keys(rows) as (keyof BulkTotals["rows"])[]) rows[count] += b.rows[count];
  return {
    rows,
    calls: a.calls + b.calls,
    failures: [...a.failures, ...b.failures].slice(0, MOST_FAILURES),
    failures_total: a.failures_total + b.failures_total,
    refusals: addRefusals(a.refusals ?? [], b.refusals ?? []),
  };
}

/** How a run ended whose rows are all processed; `completed_with_failures` exactly when a row failed or is wrong. */
export function bulkStatus(
  { rows }: BulkTotals,
  { stopped }: { readonly stopped: RunStatus | null },
): RunStatus {
  if (stopped !== null) return stopped;
  return rows.failed + rows.invalid > 0 ? "completed_with_failures" : "completed";
}
