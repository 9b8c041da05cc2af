import { createHash } from "node:crypto";
import { commitKey } from "../../delta/delta-path.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { Lake } from "../../lake.js";
import { transactionChanges } from "../../tables/transactions.js";

/** Hex digits that make a whole number which every reader of JSON keeps exactly. */
const DIGITS = 13;

/**
 * A number that tells one commit of one feed from every other: the beginning of the sha256 over the feed's table id
 * and the bytes of the commit, which hold a random id of their own. A version number alone tells nothing: the log of
 * a restored feed counts on with other commits. Undefined where the version can't be read any more.
 */
export async function feedMark(lake: Lake, feed: Snapshot, version: number): Promise<number | undefined> {
  const body = await lake.store.get(commitKey(transactionChanges.name, version));
  if (body === undefined) return undefined;
  const hash = createHash("sha256").update(`${feed.metadata?.id}\n`).update(body);
  return Number.parseInt(hash.digest("hex").slice(0, DIGITS), 16);
}
