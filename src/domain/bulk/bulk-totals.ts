import { addTotals, NO_CALLS, type Totals } from "../counts.js";
import type { Unauthorized } from "../failures.js";
import type { Refusals } from "../refusals.js";
import { type EndReason, endReason, type RunStatus, type RunSummary } from "../run.js";
import type { WaitingState } from "../waiting.js";
import type { RowEnd } from "./bulk-job.js";

interface RowFailure {
  readonly line: number;
  /** By an id of the service. */
  readonly owner: string;
  readonly reason: string;
  /** The service's words, masked. */
  readonly message?: string;
}

export interface BulkTotals extends Totals<RowFailure> {
  /** In the end, the last four add up to the total. */
  readonly rows: {
    readonly total: number;
    readonly done: number;
    readonly failed: number;
    readonly invalid: number;
    readonly skipped: number;
  };
  readonly refusals: readonly Refusals[];
  /** The kind's own. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** For `--json`. */
export interface BulkSummary extends BulkTotals, RunSummary {
  readonly job: string;
  /** The kind's own, such as the path of its pack. */
  readonly [told: string]: unknown;
}

export interface BulkProgress extends WaitingState {
  readonly runId: string;
  readonly rows: number;
  readonly phase: "working" | "publishing" | "finishing";
  readonly totals: BulkTotals;
}

export function noBulkTotals(): BulkTotals {
  return {
    rows: { total: 0, done: 0, failed: 0, invalid: 0, skipped: 0 },
    ...NO_CALLS,
    failures: [],
    failures_total: 0,
    refusals: [],
  };
}

export function sumOfTotals(parts: readonly BulkTotals[]): BulkTotals {
  return parts.reduce(addTotals, noBulkTotals());
}

/** Of rows that have ended. */
export function totalsOf(ends: readonly RowEnd[], ownerOf: (line: number) => string): BulkTotals {
  const rows = { ...noBulkTotals().rows };
  for (const { status } of ends) rows[status] += 1;
  const failures = failuresOf(ends, ownerOf);
  const refusals = ends.flatMap(({ refused }) => (refused === undefined ? [] : [{ count: 1, ...refused }]));
  const counts = { ...NO_CALLS, rows, failures, failures_total: failures.length, refusals };
  return addTotals(noBulkTotals(), counts);
}

export function failuresOf(ends: readonly RowEnd[], ownerOf: (line: number) => string): RowFailure[] {
  return ends
    .filter(({ status }) => status === "failed")
    .map(({ line, reason, refused }) => {
      const message = refused?.message ?? null;
      return { line, owner: ownerOf(line), reason: reason ?? "", ...(message !== null && { message }) };
    });
}

/** `completed_with_failures` exactly when a row failed or is invalid, unless it was stopped. */
export function bulkStatus({ rows }: BulkTotals, stopped: RunStatus | null): RunStatus {
  return stopped ?? (rows.failed + rows.invalid > 0 ? "completed_with_failures" : "completed");
}

export function endOfBulk(
  status: RunStatus,
  { rows, failures }: BulkTotals,
  unauthorized: Unauthorized,
): EndReason {
  const step = failures.find(({ line }) => line === 0)?.reason;
  const failed = { "row% failed": rows.failed, "row% invalid": rows.invalid };
  return endReason({ status, unauthorized, step, failed, reasons: failures.map(({ reason }) => reason) });
}
