import type { Unauthorized } from "../failures.js";
import { type EndReason, endReason, type RunStatus, type RunSummary } from "../run.js";
import type { Removals } from "../tables/removals.js";
import type { SyncFigures } from "./run/sync-state.js";
import { isStep, READING, type SyncTotals, withFailure } from "./sync-totals.js";

/** Rows that a run added for a stream without a cursor. */
export interface ListedRows {
  readonly stream: string;
  readonly changed: number;
  readonly removed: number;
}

/** What `sync --json` prints. */
export interface SyncSummary extends SyncTotals, RunSummary {
  /** Left out are a stream that could not be counted, and all of a run that was left unfinished. */
  readonly lists: readonly ListedRows[];
  /** New in this run, and open of any; null where they were not counted. */
  readonly quarantine: { readonly new: number; readonly open: number | null };
  /** They may be gone, while `service.pending` is `auto` and undecided. */
  readonly pending_undecided?: number;
}

/**
 * Gives `completed_with_failures` if something failed or was quarantined, unless a step kept the run from reading any link.
 */
export function endStatus(totals: SyncTotals, unauthorized: Unauthorized): RunStatus {
  const hasStopped = totals.failures.some(
    ({ owner, reason }) => owner === READING && !reason.startsWith(NO_LINKS_READ),
  );
  if (unauthorized || (hasStopped && !hasLinks(totals))) return "failed";
  const failed = totals.links.failed + totals.users.failed + totals.failures_total > 0;
  return failed || totals.rows.quarantined > 0 ? "completed_with_failures" : "completed";
}

const NO_LINKS_READ = "no_links_read";

function hasLinks({ links }: SyncTotals): boolean {
  return Object.values(links).some((count) => count > 0);
}

/** Fails a run that found no link although its users' links are known. Pure. */
export function withUnreadLinks(totals: SyncTotals, known: Removals | undefined): SyncTotals {
  if (hasLinks(totals) || known === undefined || known.gone === 0 || known.gone < known.known) return totals;
  const reason = `${NO_LINKS_READ} of ${known.known} known`;
  return withFailure(totals, { stream: "bank_links", owner: READING, reason });
}

export function endOfSync(
  status: RunStatus,
  { users, links, rows, failures }: SyncTotals,
  unauthorized: Unauthorized,
): EndReason {
  const failed = {
    "bank link% failed": links.failed,
    "user% failed": users.failed,
    "row% quarantined": rows.quarantined,
  };
  const step = failures.find(({ owner }) => isStep(owner))?.reason;
  return endReason({ status, unauthorized, step, failed, reasons: failures.map(({ reason }) => reason) });
}

/** Estimates a run's links: users who are not read yet have as many as the others. Pure. */
export function expectedLinks({
  usersTotal,
  usersDone,
  linksFound,
}: Pick<SyncFigures, "usersDone" | "linksFound"> & { readonly usersTotal: number }): number {
  return usersDone === 0 ? linksFound : Math.round((linksFound * usersTotal) / usersDone);
}
