import { InputError } from "../../../domain/failures.js";
import type { DeltaAction } from "../../delta/delta-actions.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { Lake } from "../../lake.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { feedMark } from "./feed-mark.js";

/** Names the transaction whose version is the feed's version that `transactions` stands at. */
const VERSION = transactionChanges.name;
/** Names the transaction whose version is the mark of that version's commit. */
const MARK = `${transactionChanges.name}/commit`;

/** The version of the feed that `transactions` stands at; -1 where it stands at none. */
export function watermarkOf(snapshot: Snapshot): number {
  return snapshot.txns.get(VERSION)?.version ?? -1;
}

/** Whether two states stand at the same commit of the same feed. */
export function sameWatermark(one: Snapshot, other: Snapshot): boolean {
  return [VERSION, MARK].every((name) => one.txns.get(name)?.version === other.txns.get(name)?.version);
}

/**
 * The actions that set the watermark. Transactions, because every reader keeps or ignores them; without a time,
 * because a watermark that a checkpoint left out would cost a rebuild.
 */
export async function watermarkActions(lake: Lake, feed: Snapshot, version: number): Promise<DeltaAction[]> {
  const mark = await feedMark(lake, feed, version);
  return [
    { txn: { appId: VERSION, version } },
    ...(mark === undefined ? [] : [{ txn: { appId: MARK, version: mark } }]),
  ];
}

/**
 * Why the watermark of `transactions` says nothing about this feed, so that the table must be rebuilt; undefined
 * where it stands at a commit of it, or at none.
 *
 * @throws InputError where there is no feed at all: `transactions` is then all that is left.
 */
export async function strangeWatermark(
  lake: Lake,
  standing: Snapshot,
  feed: Snapshot,
): Promise<string | undefined> {
  const version = watermarkOf(standing);
  if (version < 0) return undefined;
  if (feed.version < 0) {
    throw new InputError(
      `Table ${transactions.name} stands at version ${version} of ${transactionChanges.name}, which is not there. ` +
        `Nothing was changed; restore ${transactionChanges.name} from a backup.`,
    );
  }
  if (version > feed.version) {
    return `it stands at version ${version} of the feed, which is at ${feed.version}: the feed was restored from an older copy`;
  }
  const mark = standing.txns.get(MARK)?.version;
  if (mark === undefined) return "an earlier release wrote it without the id of the feed's commit";
  const found = await feedMark(lake, feed, version);
  if (found === undefined)
    return `version ${version} of the feed, which it stands at, can't be read any more`;
  if (mark === found) return undefined;
  return `version ${version} of the feed is not the commit that it stands at: one of the two was restored from another copy`;
}
