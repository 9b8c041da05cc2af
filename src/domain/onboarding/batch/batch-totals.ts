import type { Refusals } from "../../refusals.js";
import type { RunStatus } from "../../run.js";
import { isKnownStatus, ONBOARDING_STATUSES } from "../../service/onboarding-status.js";

/** Where a row stands in the counts of its batch, in the order of the summary. */
export const CUSTOMER_COUNTS = [
  "queued",
  "running",
  ...ONBOARDING_STATUSES,
  "needs_customer",
  "invalid",
  "failed",
  "expired",
  "cancelled",
] as const;

/** Live counts of a batch; those but `total` always add up to it. */
export type CustomerCounts = Readonly<Record<"total" | (typeof CUSTOMER_COUNTS)[number], number>>;

/** A count that a row may stand under. */
type CustomerCount = Exclude<keyof CustomerCounts, "total">;

/** So many rows, none of them begun. */
export function queuedRows(total: number): CustomerCounts {
  return {
    total,
    queued: total,
    running: 0,
    pass: 0,
    fail: 0,
    incomplete: 0,
    pending: 0,
    none: 0,
    error: 0,
    needs_customer: 0,
    invalid: 0,
    failed: 0,
    expired: 0,
    cancelled: 0,
  };
}

/** Rows that go from one count to another: the total stays. */
export function moveRows(
  counts: CustomerCounts,
  from: CustomerCount,
  to: CustomerCount,
  rows = 1,
): CustomerCounts {
  const left = { ...counts, [from]: counts[from] - rows };
  return { ...left, [to]: left[to] + rows };
}

/** More rows in the queue: the batch's limit was raised. */
export function addQueued(counts: CustomerCounts, rows: number): CustomerCounts {
  return { ...counts, total: counts.total + rows, queued: counts.queued + rows };
}

/**
 * The count of an outcome's status; a status that the document doesn't name counts as `none`: there is no
 * decision in it that could be relied on.
 */
export function countOf(status: string): CustomerCount {
  if (status === "expired_no_response") return "expired";
  if (status === "needs_customer" || status === "invalid" || status === "failed" || status === "cancelled") {
    return status;
  }
  return isKnownStatus(status) ? (status as CustomerCount) : "none";
}

/** Whether rows stand under a count that makes the command end with 1. */
function hasFailures({ invalid, failed, error, none, expired }: CustomerCounts): boolean {
  return invalid + failed + error + none + expired > 0;
}

/** What `onboard --json` prints. */
export interface OnboardSummary {
  readonly run_id: string;
  readonly batch_id: string;
  readonly status: RunStatus;
  /** Each row under one count; they add up to `total`. */
  readonly customers: CustomerCounts;
  /** Rows that a reviewer must decide, whatever their count. */
  readonly manual_review: number;
  /** Requests sent. */
  readonly calls: number;
  /** What the service refused in this run: the first ten different ones. */
  readonly refusals: readonly Refusals[];
  readonly duration_ms: number;
}

/** How a batch ended whose rows are all processed. */
export function batchStatus(customers: CustomerCounts, cancelled: boolean): RunStatus {
  if (cancelled) return "cancelled";
  return hasFailures(customers) ? "completed_with_failures" : "completed";
}
