import type { SyncTotals } from "./sync-totals.js";

/** How a run stands or ended. */
export type RunStatus =
  | "completed"
  | "completed_with_failures"
  | "failed"
  | "cancelled"
  | "running"
  | "paused";

/** What `sync --json` prints. */
export interface SyncSummary extends SyncTotals {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly duration_ms: number;
}

/** `completed_with_failures` exactly when something failed or was quarantined. */
export function endStatus(totals: SyncTotals, unauthorized: boolean): RunStatus {
  if (unauthorized) return "failed";
  const failed = totals.links.failed + totals.users.failed + totals.failures_total > 0;
  return failed || totals.rows.quarantined > 0 ? "completed_with_failures" : "completed";
}
