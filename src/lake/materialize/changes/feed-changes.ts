import type { AddFile } from "../../delta/delta-actions.js";
import { fileKey } from "../../delta/delta-path.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { Lake } from "../../lake.js";
import { transactionChanges } from "../../tables/transactions.js";
import { strangeWatermark, watermarkOf } from "./watermark.js";

/** What brings `transactions` from one version of the feed to another. */
export interface FeedChanges {
  readonly adds: readonly AddFile[];
  /** The adds are the whole feed, and they replace whatever `transactions` holds. */
  readonly whole: boolean;
  /** Why the whole feed is read where a table is there already. */
  readonly because?: string;
}

/**
 * The feed's files to apply to a state of `transactions`. A watermark that is not this feed's, or a version or a file that can't be read any more (log or data cleaned
 * up by another tool) means starting from the live files; a feed is append-only, so they hold all its rows.
 */
export async function feedChanges(lake: Lake, standing: Snapshot, head: Snapshot): Promise<FeedChanges> {
  const whole = (because?: string): FeedChanges => {
    return { adds: [...head.files.values()], whole: true, ...(because !== undefined && { because }) };
  };
  const from = watermarkOf(standing);
  const strange = await strangeWatermark(lake, standing, head);
  if (strange !== undefined) return whole(strange);
  if (from < 0) return whole(standing.files.size === 0 ? undefined : "it has lost its watermark");
  const changed = await lake.table(transactionChanges.name).changesBetween(from, head.version);
  const unreadable = `what the feed brought after version ${from} can't be read any more`;
  if (changed === undefined) return whole(unreadable);
  for (const { add } of changed) {
    if (head.files.has(add.path)) continue;
    if ((await lake.store.stat(fileKey(transactionChanges.name, add.path))) === undefined) {
      return whole(unreadable);
    }
  }
  return { adds: changed.map(({ add }) => add), whole: false };
}
