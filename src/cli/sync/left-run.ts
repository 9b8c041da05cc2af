import type { SyncTotals } from "../../domain/sync/sync-totals.js";
import { newestSnapshot } from "../../lake/delta/delta-log.js";
import { NO_TABLE } from "../../lake/delta/delta-snapshot.js";
import { createDuckDb } from "../../lake/sql/duckdb.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { type CommittedByRun, committedByRun } from "../../lake/sync/committed-by-run.js";
import { transactionChanges } from "../../lake/tables/transactions.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";

/** What a run has committed so far; reads the feed's log alone, and writes nothing to the lake. */
export async function committedSoFar(store: ObjectStore, runId: string): Promise<CommittedByRun> {
  const duckdb = createDuckDb({ scratchDirectory: await temporaryScratch() });
  try {
    const feed = await newestSnapshot({ store, table: transactionChanges.name, duckdb }, NO_TABLE);
    return committedByRun(feed, runId);
  } finally {
    await duckdb.close();
  }
}

/**
 * Totals of a run that its command leaves. Its workflow counts groups of users that have ended; what the groups under
 * way have committed is in the lake.
 */
export function totalsSoFar(totals: SyncTotals, users: number, committed: CommittedByRun): SyncTotals {
  const { synced, unchanged, created, updated, removed, pages } = committed;
  const { links, rows } = totals;
  return {
    ...totals,
    users: { ...totals.users, total: users },
    links: {
      ...links,
      synced: Math.max(links.synced, synced),
      unchanged: Math.max(links.unchanged, unchanged),
    },
    rows: {
      ...rows,
      created: Math.max(rows.created, created),
      updated: Math.max(rows.updated, updated),
      removed: Math.max(rows.removed, removed),
    },
    pages: Math.max(totals.pages, pages),
  };
}

/** What a run that its command leaves has read, and what of it is safe. */
export function keptWords(progress: SyncProgress | undefined, committed: CommittedByRun): string[] {
  const { synced, unchanged, created, updated, removed } = committed;
  const safe = `committed: ${count(synced + unchanged, "link")} with ${count(created + updated + removed, "row")}, safe in the lake`;
  if (progress === undefined) return [safe];
  const { groups, totals, usersDone, usersTotal } = progress;
  const ended = totals.rows.created + totals.rows.updated + totals.rows.removed;
  const rows = groups.reduce((sum, { rowsRead }) => sum + rowsRead, ended);
  const links = groups.reduce((sum, { linksDone }) => sum + linksDone, sumOf(totals.links));
  const read = `read: ${usersDone} of ${count(usersTotal, "user")} to their end, ${count(links, "link")}, ${count(rows, "row")}`;
  return [read, safe, "pages that are not committed yet are staged, and are not asked for again"];
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}
