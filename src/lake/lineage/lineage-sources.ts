import type { AddFile } from "../delta/delta-actions.js";
import { changesAfter, readCommit } from "../delta/delta-log.js";
import { fileKey } from "../delta/delta-path.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { isErasure } from "../delta/erasure.js";
import type { Lake } from "../lake.js";
import { transactionLinks } from "../tables/transaction-links.js";
import { transactionChanges, transactions } from "../tables/transactions.js";
import {
  copiedWatermark,
  setsWatermark,
  sinceWatermark,
  watermarkActions,
  watermarkOf,
} from "../watermark.js";

const FEED = transactionChanges.name;

/** States of the three tables, each read after those that derive from it. */
export interface LineageState {
  readonly links: Snapshot;
  readonly current: Snapshot;
  readonly feed: Snapshot;
}

export async function lineageState(lake: Lake): Promise<LineageState> {
  const links = await lake.table(transactionLinks.name).snapshot();
  const current = await lake.table(transactions.name).snapshot();
  return { links, current, feed: await lake.table(FEED).snapshot() };
}

/** What brings `transaction_links` to the version of the feed that `transactions` has reached. */
export interface LineageSources {
  readonly changes: readonly AddFile[];
  /**
   * Paths of files that `transactions` had at the watermark of `transaction_links` and has no more: they hold the earlier
   * state of every transaction that has changed since.
   */
  readonly before: readonly string[];
  /** Whether the changes are all that the feed has; they then replace whatever the table holds. */
  readonly whole: boolean;
  /** Why, if there is a table. */
  readonly because?: string;
  readonly watermark: Awaited<ReturnType<typeof watermarkActions>>;
}

/** Finds what to read; undefined if `transaction_links` is up to date, or ahead. @throws InputError if the feed is missing. */
export async function lineageSources(lake: Lake, state: LineageState): Promise<LineageSources | undefined> {
  const { links, current, feed } = state;
  const to = watermarkOf(current, FEED);
  if (to < 0) return undefined;
  const { changed, because } = await sinceWatermark(
    lake,
    { table: transactionLinks.name, snapshot: links },
    { table: FEED, snapshot: feed },
  );
  if (changed === undefined) return wholeFeed(lake, state, because);
  if (watermarkOf(links, FEED) >= to) return undefined;
  const changes = changed.filter(({ version }) => version <= to).map(({ add }) => add);
  const before = await replacedSince(lake, state);
  if (before === undefined) {
    return wholeFeed(lake, state, `the files that ${transactions.name} had then can't be read any more`);
  }
  return { changes, before, whole: false, watermark: copiedWatermark(current, FEED) };
}

/** Takes the whole feed, as far as `transactions` has come if the log tells what came after that. */
async function wholeFeed(
  lake: Lake,
  { current, feed }: LineageState,
  because: string | undefined,
): Promise<LineageSources> {
  const later = await changesAfter({ ...lake, table: FEED }, watermarkOf(current, FEED), feed);
  const left = new Set(later?.map(({ add }) => add.path));
  return {
    changes: [...feed.files.values()].filter(({ path }) => !left.has(path)),
    before: [],
    whole: true,
    ...(because !== undefined && { because }),
    watermark:
      later === undefined
        ? await watermarkActions(lake.store, { table: FEED, snapshot: feed }, feed.version)
        : copiedWatermark(current, FEED),
  };
}

/**
 * Walks back through the log of `transactions` to a commit at the watermark of `transaction_links`. Undefined if the log
 * no longer has one, or if a file is gone.
 */
async function replacedSince(lake: Lake, { links, current }: LineageState): Promise<string[] | undefined> {
  const log = { ...lake, table: transactions.name };
  const replaced = new Set<string>();
  for (let version = current.version; version >= 0; version -= 1) {
    const commit = await readCommit(log, version);
    if (commit === undefined) return undefined;
    if (setsWatermark(commit.actions, links, FEED)) return allThere(lake, [...replaced]);
    // It left all that a file says of others; the file itself is deleted.
    if (isErasure(commit.actions)) continue;
    for (const action of commit.actions) {
      if ("add" in action) replaced.delete(action.add.path);
      else if ("remove" in action) replaced.add(action.remove.path);
    }
  }
  return undefined;
}

async function allThere({ store }: Lake, paths: readonly string[]): Promise<string[] | undefined> {
  for (const path of paths) {
    if ((await store.stat(fileKey(transactions.name, path))) === undefined) return undefined;
  }
  return [...paths];
}
