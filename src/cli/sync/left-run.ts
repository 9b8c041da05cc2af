import type { SyncTotals } from "../../domain/sync/sync-totals.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { namedPages } from "../../lake/sync/journal/recovery.js";
import { type CommittedByRun, committedByRun } from "../../lake/sync/link-checkpoint.js";
import { transactionChanges } from "../../lake/tables/transactions.js";
import { transactionStream } from "../../streams/transactions.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import { withLakeReader } from "../lake/reader.js";
import { counted } from "../terminal/counted.js";

/** What the lake holds of a run that has not ended. */
export interface KeptOfRun {
  readonly committed: CommittedByRun;
  /** Pages of transactions that were read and not committed yet, and how many links they belong to. */
  readonly staged: { readonly pages: number; readonly links: number };
}

/** Finds what a run has committed and staged so far; reads only names and the feed's log, and writes nothing. */
export async function keptSoFar(store: ObjectStore, runId: string): Promise<KeptOfRun> {
  return withLakeReader(store, async (lake) => {
    const committed = committedByRun(await lake.table(transactionChanges.name).snapshot(), runId);
    return { committed, staged: await stagedOf(store, runId, committed.links) };
  });
}

async function stagedOf(store: ObjectStore, runId: string, committed: ReadonlySet<string>) {
  const owners: string[] = [];
  for await (const { stream, owner } of namedPages(store, runId)) {
    if (stream === transactionStream.name && !committed.has(owner)) owners.push(owner);
  }
  return { pages: owners.length, links: new Set(owners).size };
}

/**
 * Totals of a run that its command leaves. The workflow counts finished commits; what a commit under way has done is only in
 * the lake.
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

/** Says what a run that its command leaves has read, and how much of it is safe. */
export function keptWords({ committed, staged }: KeptOfRun, progress: SyncProgress | undefined): string[] {
  const { links, created, updated, removed } = committed;
  const done = progress && `; ${progress.usersDone} of ${counted(progress.usersTotal, "user")} were read`;
  const rows = counted(created + updated + removed, "row");
  const kept =
    links.size === 0 ? "nothing yet" : `${counted(links.size, "link")} with ${rows}, safe in the lake`;
  const safe = `committed: ${kept}${done ?? ""}`;
  if (staged.pages === 0) return [safe];
  const others = counted(staged.links, links.size === 0 ? "link" : "other link");
  return [safe, `staged: ${counted(staged.pages, "page")} of ${others}, which will not be requested again`];
}
