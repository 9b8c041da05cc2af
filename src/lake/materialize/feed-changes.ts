import type { AddFile } from "../delta/delta-actions.js";
import { fileKey } from "../delta/delta-path.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { transactionChanges } from "../tables/transactions.js";

/**
 * Names the watermark: the feed's version that `transactions` stands at
 * (docs/architecture.md, "Materialize").
 */
export const WATERMARK = transactionChanges.name;

/** What brings `transactions` from one version of the feed to another. */
export interface FeedChanges {
  readonly adds: readonly AddFile[];
  /** The adds are the whole feed, and they replace whatever `transactions` holds. */
  readonly whole: boolean;
}

/** The version of the feed that `transactions` stands at; -1 where it stands at none. */
export function watermarkOf(transactions: Snapshot): number {
  return transactions.txns.get(WATERMARK)?.version ?? -1;
}

/**
 * The feed's files to apply after `from`. A version or a file that can't be read any more (log or data cleaned
 * up by another tool) means starting from the live files; a feed is append-only, so they hold all its rows.
 */
export async function feedChanges(lake: Lake, from: number, head: Snapshot): Promise<FeedChanges> {
  const whole = { adds: [...head.files.values()], whole: true };
  if (from < 0) return whole;
  const changed = await lake.table(transactionChanges.name).changesBetween(from, head.version);
  if (changed === undefined) return whole;
  for (const { add } of changed) {
    if (head.files.has(add.path)) continue;
    if ((await lake.store.stat(fileKey(transactionChanges.name, add.path))) === undefined) return whole;
  }
  return { adds: changed.map(({ add }) => add), whole: false };
}
