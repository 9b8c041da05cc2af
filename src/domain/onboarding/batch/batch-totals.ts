import type { SentCalls } from "../../counts.js";
import { type Refusals, refusalWords } from "../../refusals.js";
import { type EndReason, endReason, type RunStatus } from "../../run.js";
import { isKnownStatus, ONBOARDING_STATUSES } from "../../service/onboarding-status.js";

/** The counts of a batch, in the order of the summary; each row is under exactly one. */
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
type CustomerCount = (typeof CUSTOMER_COUNTS)[number];

/** Live counts of a batch; those but `total` always add up to it. */
export type CustomerCounts = Readonly<Record<"total" | CustomerCount, number>>;

/** So many rows, none of them begun. */
export function queuedRows(total: number): CustomerCounts {
  const none = Object.fromEntries(CUSTOMER_COUNTS.map((name) => [name, 0]));
  return { total, ...(none as Record<CustomerCount, number>), queued: total };
}

/** The count of an outcome's status; an unknown status counts as `none`: it is no decision to rely on. */
export function countOf(status: string): CustomerCount {
  if (status === "expired_no_response") return "expired";
  if (status === "needs_customer" || status === "invalid" || status === "failed" || status === "cancelled") {
    return status;
  }
  return isKnownStatus(status) ? (status as CustomerCount) : "none";
}

/** What `onboard --json` prints. */
export interface OnboardSummary extends EndReason, SentCalls {
  readonly run_id: string;
  readonly batch_id: string;
  readonly status: RunStatus;
  /** Each row under one count; they add up to `total`. */
  readonly customers: CustomerCounts;
  /** Rows that a reviewer must decide, whatever their count. */
  readonly manual_review: number;
  /** What the service refused in this run: the first ten different ones. */
  readonly refusals: readonly Refusals[];
  readonly duration_ms: number;
  /** The lake's root when the run ended (docs/use/tables.md, "Root"); null before that, or if it could not be computed. */
  readonly lake_root: string | null;
}

/** How a batch ended whose rows are all processed; with failures, the command exits with 1. */
export function batchStatus(customers: CustomerCounts, isCancelled: boolean): RunStatus {
  if (isCancelled) return "cancelled";
  const { invalid, failed, error, none, expired, cancelled } = customers;
  const bad = invalid + failed + error + none + expired + cancelled;
  return bad > 0 ? "completed_with_failures" : "completed";
}

export function endOfBatch(
  status: RunStatus,
  { invalid, failed, error, none, expired, cancelled }: CustomerCounts,
  refusals: readonly Refusals[],
  step: string | undefined,
): EndReason {
  const counts = {
    "customer% failed": failed + error + none,
    "customer% expired": expired,
    "customer% in work in another batch": cancelled,
    "row% invalid": invalid,
  };
  return endReason({ status, step, failed: counts, reasons: refusals.map(refusalWords) });
}
