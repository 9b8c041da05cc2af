import type { AddFile } from "../../delta/delta-actions.js";
import { fileKey } from "../../delta/delta-path.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { factsOf } from "../../delta/delta-stats.js";
import type { ChangedFile } from "../../delta/delta-table.js";
import type { Lake } from "../../lake.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { strangeWatermark, watermarkOf } from "../../watermark.js";

/** What brings `transactions` from one version of the feed to a later one. */
export interface FeedChanges {
  readonly adds: readonly AddFile[];
  /** The version that `transactions` stands at with them. */
  readonly to: number;
  /** The adds are all that the feed has up to there, and they replace whatever `transactions` holds. */
  readonly whole: boolean;
  /** Why the whole feed is read where a table is there already. */
  readonly because?: string;
}

/**
 * The feed's files to apply next to a state of `transactions`: those of as many versions as bring `partRows` rows,
 * one at least. A watermark that is not this feed's means starting from the feed's beginning; so does a version or a
 * file that can't be read any more (log or data cleaned up by another tool), and then all live files are one part: a
 * feed is append-only, so they hold all its rows, but nothing tells which of them came first.
 */
export async function feedChanges(
  lake: Lake,
  standing: Snapshot,
  head: Snapshot,
  partRows: number,
): Promise<FeedChanges> {
  const from = watermarkOf(standing, transactionChanges.name);
  const reason =
    (await strangeWatermark(
      lake.store,
      { table: transactions.name, snapshot: standing },
      { table: transactionChanges.name, snapshot: head },
    )) ?? (from < 0 && standing.files.size > 0 ? "it has lost its watermark" : undefined);
  const because = reason === undefined ? {} : { because: reason };
  const live = { adds: [...head.files.values()], to: head.version };
  if (reason !== undefined || from < 0) {
    const parts = isOnePart(live.adds, partRows) ? undefined : await changedFiles(lake, -1, head);
    return { ...(parts === undefined ? live : firstPart(parts, head, partRows)), whole: true, ...because };
  }
  const changed = await changedFiles(lake, from, head);
  if (changed !== undefined) return { ...firstPart(changed, head, partRows), whole: false };
  return {
    ...live,
    whole: true,
    because: `what the feed brought after version ${from} can't be read any more`,
  };
}

/** The files of the versions after `from`; undefined where one of them can't be read any more. */
async function changedFiles(lake: Lake, from: number, head: Snapshot): Promise<ChangedFile[] | undefined> {
  const changed = await lake.table(transactionChanges.name).changesBetween(from, head.version);
  for (const { add } of changed ?? []) {
    if (head.files.has(add.path)) continue;
    if ((await lake.store.stat(fileKey(transactionChanges.name, add.path))) === undefined) return undefined;
  }
  return changed;
}

function isOnePart(adds: readonly AddFile[], partRows: number): boolean {
  return adds.reduce((sum, add) => sum + rowsIn(add), 0) <= partRows;
}

/** Whole versions only: rows of one commit are never seen apart. */
function firstPart(changed: readonly ChangedFile[], head: Snapshot, partRows: number) {
  let rows = 0;
  let to: number | undefined;
  for (const { version, add } of changed) {
    if (to !== undefined && version > to) break;
    rows += rowsIn(add);
    if (rows >= partRows) to ??= version;
  }
  const adds = changed.filter(({ version }) => to === undefined || version <= to).map(({ add }) => add);
  // Versions without rows after the last part belong to it.
  const last = changed.at(-1)?.version;
  return { adds, to: to === undefined || to === last ? head.version : to };
}

function rowsIn(add: AddFile): number {
  return factsOf(add).rows ?? 0;
}
