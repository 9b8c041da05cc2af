import type { SentCalls } from "../../counts.js";
import { type Refusals, refusalWords } from "../../refusals.js";
import { type EndReason, endReason, type RunStatus, type RunSummary } from "../../run.js";
import { isKnownStatus, ONBOARDING_STATUSES } from "../../service/onboarding-status.js";

/** In the order of the summary; each row is under exactly one. */
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

export type CustomerCounts = Readonly<Record<"total" | CustomerCount, number>>;

export function queuedRows(total: number): CustomerCounts {
  const none = Object.fromEntries(CUSTOMER_COUNTS.map((name) => [name, 0]));
  return { total, ...(none as Record<CustomerCount, number>), queued: total };
}

/** An unknown status counts as `none`: it is no decision to rely on. */
export function countOf(status: string): CustomerCount {
  if (status === "expired_no_response") return "expired";
  if (status === "needs_customer" || status === "invalid" || status === "failed" || status === "cancelled") {
    return status;
  }
  return isKnownStatus(status) ? (status as CustomerCount) : "none";
}

/** What `onboard --json` prints. */
export interface OnboardSummary extends RunSummary, SentCalls {
  readonly batch_id: string;
  readonly customers: CustomerCounts;
  readonly manual_review: number;
  /** The first ten different ones. */
  readonly refusals: readonly Refusals[];
}

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
