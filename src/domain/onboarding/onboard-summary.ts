import type { RunStatus } from "../sync/sync-summary.js";
import { type CustomerCounts, hasFailures } from "./batch-totals.js";

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
  readonly duration_ms: number;
}

/** How a batch ended whose rows are all machine done. */
export function batchStatus(customers: CustomerCounts, cancelled: boolean): RunStatus {
  if (cancelled) return "cancelled";
  return hasFailures(customers) ? "completed_with_failures" : "completed";
}
