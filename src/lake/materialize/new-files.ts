import { rm } from "node:fs/promises";
import type { AddFile } from "../delta-actions.js";
import type { Snapshot } from "../delta-snapshot.js";
import type { SqlSession } from "../duckdb-session.js";
import type { Lake } from "../lake.js";
import { scratchPath } from "../parquet-file.js";
import { transactionChanges, transactions } from "../tables/transactions.js";
import { BATCH_ROWS, type Batch, feedBatches, fileRows, liveBatches, monthOf } from "./batches.js";
import { findChangedKeys } from "./changed-keys.js";
import type { FeedChanges } from "./feed-changes.js";
import { FILE_ROWS } from "./month-cut.js";
import { type SourceFile, sourceFiles } from "./sources.js";
import { writeBatch, writeFresh } from "./write-batch.js";
import type { FileStorage } from "./written-files.js";

/** Files with fewer rows are written together with new rows of their month. */
const SMALL_FILE_ROWS = FILE_ROWS / 2;

/** How many a month gives at once, so that many small files don't make one night long. */
const MOST_SMALL_FILES = 16;

/** How far materializing has come, in rows to be written; `total` is an upper bound. */
export interface MaterializeProgress {
  readonly rows: number;
  readonly total: number;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: MaterializeProgress) => void;
}

/** Writes the files that bring `transactions` up to date; returns the live files that they replace. */
export async function writeNewFiles(
  lake: Lake,
  storage: FileStorage,
  changes: FeedChanges,
  standing: Snapshot,
  options: WriteOptions,
): Promise<readonly AddFile[]> {
  const replacedByAll = changes.whole ? [...standing.files.values()] : [];
  const feed = await sourceFiles(lake, transactionChanges.name, changes.adds);
  const standingFiles = changes.whole ? [] : [...standing.files.values()];
  const live = await sourceFiles(lake, transactions.name, standingFiles);
  if (feed.length === 0) return replacedByAll;
  return lake.duckdb.exclusive(async (sql) => {
    const { freshRows, touched } = await findChangedKeys(sql, feed, live, options.signal);
    const scratch = scratchPath(lake, "parquet");
    try {
      const together = freshRows > 0 && freshRows <= BATCH_ROWS && live.length > 0;
      const fresh = together ? await writeFresh(sql, feedBatches(feed), scratch) : new Map<string, number>();
      const replaced = [...touched, ...smallFiles(live, touched, fresh)];
      const apart = together || freshRows === 0 ? [] : feedBatches(feed);
      await writeBatches(lake, sql, storage, [...apart, ...liveBatches(replaced, fresh)], scratch, options);
      return [...replacedByAll, ...replaced.map(({ add }) => add)];
    } finally {
      await rm(scratch, { force: true });
    }
  });
}

/** Without these, each night would leave a few more small files in every month that it has rows of. */
function smallFiles(
  live: readonly SourceFile[],
  touched: readonly SourceFile[],
  fresh: ReadonlyMap<string, number>,
): SourceFile[] {
  const taken = new Set(touched);
  const left = new Map([...fresh.keys()].map((month) => [month, MOST_SMALL_FILES]));
  return live.filter((file) => {
    const more = left.get(monthOf(file)) ?? 0;
    if (more === 0 || taken.has(file) || fileRows(file) >= SMALL_FILE_ROWS) return false;
    left.set(monthOf(file), more - 1);
    return true;
  });
}

async function writeBatches(
  lake: Lake,
  sql: SqlSession,
  storage: FileStorage,
  batches: readonly Batch[],
  fresh: string,
  { signal, onProgress }: WriteOptions,
): Promise<void> {
  const total = batches.reduce((sum, batch) => sum + batch.rows, 0);
  let rows = 0;
  for (const batch of batches) {
    signal?.throwIfAborted();
    await writeBatch(lake, sql, storage, batch, fresh);
    rows += batch.rows;
    onProgress?.({ rows, total });
  }
}
