import type { RunStatus } from "../run.js";
import type { SyncFigures } from "./run/sync-state.js";
import type { SyncTotals } from "./sync-totals.js";

/** Rows that a run added for a stream without a cursor: new or changed ones, and those that say what is gone. */
export interface ListedRows {
  readonly stream: string;
  readonly changed: number;
  readonly removed: number;
}

/** What `sync --json` prints. */
export interface SyncSummary extends SyncTotals {
  readonly run_id: string;
  readonly status: RunStatus;
  /** Of each selected stream without a cursor; one that could not be counted, and all of a run left unfinished, are left out. */
  readonly lists: readonly ListedRows[];
  /** Bad rows of this run, and open ones of any run; null where they were not counted. */
  readonly quarantine: { readonly new: number; readonly open: number | null };
  readonly duration_ms: number;
}

/** `completed_with_failures` exactly when something failed or was quarantined. */
export function endStatus(totals: SyncTotals, unauthorized: boolean): RunStatus {
  if (unauthorized) return "failed";
  const failed = totals.links.failed + totals.users.failed + totals.failures_total > 0;
  return failed || totals.rows.quarantined > 0 ? "completed_with_failures" : "completed";
}

/** Estimates the links of a whole run: users who are not read yet have as many as the others. Pure. */
export function expectedLinks({
  usersTotal,
  usersDone,
  linksFound,
}: Pick<SyncFigures, "usersDone" | "linksFound"> & { readonly usersTotal: number }): number {
  return usersDone === 0 ? linksFound : Math.round((linksFound * usersTotal) / usersDone);
}
