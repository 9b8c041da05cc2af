import type { AddFile } from "../../delta/delta-actions.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { Lake } from "../../lake.js";
import { isOutOfMemory } from "../../sql/duckdb.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { type Batch, feedBatches } from "../batches.js";
import { findChangedKeys } from "../changes/changed-keys.js";
import type { FeedChanges } from "../changes/feed-changes.js";
import { Progress, type WriteOptions } from "../progress.js";
import { withSharedTables } from "../shared-tables.js";
import { type SourceFile, sourceFiles } from "../sources.js";
import { inTwoLanes } from "../sql-lanes.js";
import type { FileStorage } from "./file-storage.js";
import { ownFooter } from "./own-footer.js";
import { freshMonths, nameShelves, type Piece, writePieces } from "./pieces.js";
import { planShelves, type Shelf } from "./shelf-plan.js";
import { ShelfWriter } from "./shelf-writer.js";

interface Replaced {
  readonly add: AddFile;
  /** Whether its rows are in the new files, unchanged. */
  readonly same: boolean;
}

export async function writeNewFiles(
  lake: Lake,
  storage: FileStorage,
  changes: FeedChanges,
  current: Snapshot,
  options: WriteOptions,
): Promise<readonly Replaced[]> {
  const currentFiles = [...current.files.values()];
  const replacedByAll = (changes.whole ? currentFiles : []).map((add) => ({ add, same: false }));
  const feed = await sourceFiles(lake, transactionChanges.name, changes.adds);
  const live = await sourceFiles(lake, transactions.name, changes.whole ? [] : currentFiles);
  if (feed.length === 0) return replacedByAll;
  return lake.duckdb.exclusive((sql) =>
    withSharedTables(sql, async () => {
      const { freshRows, touched } = await findChangedKeys(sql, feed, live, options.signal);
      const batches = freshRows === 0 ? [] : feedBatches(feed);
      const shelves = planShelves(live, touched, await freshMonths(sql, batches));
      const replaced = await writeShelves(lake, sql, storage, { batches, touched, shelves }, options);
      return [...replacedByAll, ...replaced];
    }),
  );
}

interface Planned {
  readonly batches: readonly Batch[];
  readonly touched: ReadonlySet<SourceFile>;
  readonly shelves: readonly Shelf[];
}

async function writeShelves(
  lake: Lake,
  sql: SqlSession,
  storage: FileStorage,
  { batches, touched, shelves }: Planned,
  options: WriteOptions,
): Promise<Replaced[]> {
  const rows = [...batches, ...shelves].reduce((sum, one) => sum + one.rows, 0);
  const progress = new Progress(rows, options);
  await nameShelves(sql, shelves);
  const ofFeed = await ownFooter(sql, storage, transactionChanges);
  const written = await inTwoLanes(lake, sql, batches, (session, batch) =>
    progress.of(batch.rows, () => writePieces(session, storage, batch, ofFeed)),
  );
  // Both keep the order of the feed, in which a link's rows are together.
  const piecesOf = shelves.map((): Piece[] => []);
  for (const piece of written.flat()) piecesOf[piece.shelf]?.push(piece);
  const writer = new ShelfWriter(storage, await ownFooter(sql, storage, transactions));
  const write = async (session: SqlSession, at: number): Promise<Replaced[]> => {
    const shelf = await writer.write(session, shelves[at] as Shelf, touched, piecesOf[at] ?? []);
    await storage.store(shelf.files, shelf.same);
    return shelf.replaced.map(({ add }) => ({ add, same: shelf.same }));
  };
  const replaced = await inTwoLanes(lake, sql, [...shelves.keys()], (session, at) =>
    progress.of(shelves[at]?.rows ?? 0, () => write(session, at).catch(undefinedIfOutOfMemory)),
  );
  // What did not fit into memory is tried again alone: it may fit if the other connection uses none.
  for (const at of shelves.keys()) replaced[at] ??= await write(sql, at);
  return replaced.flatMap((some) => some ?? []);
}

function undefinedIfOutOfMemory(error: unknown): undefined {
  if (!isOutOfMemory(error)) throw error;
}
