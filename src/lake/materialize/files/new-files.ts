import { rm } from "node:fs/promises";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import type { AddFile } from "../../delta/delta-actions.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { Lake } from "../../lake.js";
import { type ParquetFooter, readParquetFooter } from "../../parquet/parquet-footer.js";
import { isOutOfMemory } from "../../sql/duckdb.js";
import { createSession, type SqlSession } from "../../sql/duckdb-session.js";
import { sqlText, typedColumns } from "../../sql/duckdb-sql.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { findChangedKeys, withSharedTables } from "../changed-keys.js";
import type { Refreshes } from "../pending-rows.js";
import { type Batch, type FeedChanges, feedBatches, type SourceFile, sourceFiles } from "../sources.js";
import { type FileStorage, freshMonths, nameShelves, type Piece, writePieces } from "./pieces.js";
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
  refreshes: Refreshes | undefined,
  current: Snapshot,
  signal: AbortSignal | undefined,
): Promise<readonly Replaced[]> {
  const currentFiles = [...current.files.values()];
  const replacedByAll = (changes.whole ? currentFiles : []).map((add) => ({ add, same: false }));
  const feed = await sourceFiles(lake, transactionChanges.name, changes.adds);
  const live = await sourceFiles(lake, transactions.name, changes.whole ? [] : currentFiles);
  if (feed.length === 0 && refreshes === undefined) return replacedByAll;
  return lake.duckdb.exclusive((sql) =>
    withSharedTables(sql, async () => {
      const { freshRows, touched } = await findChangedKeys(sql, feed, live, refreshes, signal);
      const batches = freshRows === 0 ? [] : feedBatches(feed);
      const shelves = planShelves(live, touched, await freshMonths(sql, batches));
      const replaced = await writeShelves(lake, sql, storage, { batches, touched, shelves }, signal);
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
  signal: AbortSignal | undefined,
): Promise<Replaced[]> {
  await nameShelves(sql, shelves);
  const ofFeed = await ownFooter(sql, storage, transactionChanges);
  const written = await inTwoLanes(lake, sql, batches, async (session, batch) => {
    signal?.throwIfAborted();
    return writePieces(session, storage, batch, ofFeed);
  });
  // Both keep the order of the feed, in which a link's rows are together.
  const piecesOf = shelves.map((): Piece[] => []);
  for (const piece of written.flat()) piecesOf[piece.shelf]?.push(piece);
  const writer = new ShelfWriter(storage, await ownFooter(sql, storage, transactions));
  const write = async (session: SqlSession, at: number): Promise<Replaced[]> => {
    const shelf = await writer.write(session, shelves[at] as Shelf, touched, piecesOf[at] ?? []);
    await storage.store(shelf.files, shelf.same);
    return shelf.replaced.map(({ add }) => ({ add, same: shelf.same }));
  };
  const replaced = await inTwoLanes(lake, sql, [...shelves.keys()], async (session, at) => {
    signal?.throwIfAborted();
    return write(session, at).catch(undefinedIfOutOfMemory);
  });
  // What did not fit into memory is tried again alone: it may fit if the other connection uses none.
  for (const at of shelves.keys()) replaced[at] ??= await write(sql, at);
  return replaced.flatMap((some) => some ?? []);
}

function undefinedIfOutOfMemory(error: unknown): undefined {
  if (!isOutOfMemory(error)) throw error;
}

/** Makes the footer of an empty file of a table: files with another schema lack a column, or another tool wrote them. */
async function ownFooter(
  sql: SqlSession,
  storage: FileStorage,
  { columns }: TableSpec,
): Promise<ParquetFooter> {
  const path = await storage.scratch("parquet");
  const nothing = typedColumns(columns, () => "null");
  await sql.run(`copy (select ${nothing} limit 0) to ${sqlText(path)} (format parquet)`);
  const footer = await readParquetFooter(path);
  await rm(path, { force: true });
  if (footer === undefined) throw new Error("SQL wrote a Parquet file whose footer can't be read.");
  return footer;
}

/**
 * Maps items on two connections, with one thread each: DuckDB reads and writes a small file by one thread anyway, and an idle
 * second one costs (6 ms for 4,096 rows, against 10). Call it within the engine's exclusive section.
 */
async function inTwoLanes<T, R>(
  lake: Lake,
  sql: SqlSession,
  items: readonly T[],
  work: (session: SqlSession, item: T) => Promise<R>,
): Promise<R[]> {
  if (items.length === 0) return [];
  const [{ threads } = {}] = await sql.rows("select current_setting('threads') as threads");
  const second = await lake.duckdb.connect();
  try {
    await sql.run("set threads = 1");
    const free = [sql, createSession(second)];
    return await mapConcurrent(free.length, items, async (item) => {
      const session = free.pop() as SqlSession;
      try {
        return await work(session, item);
      } finally {
        free.push(session);
      }
    });
  } finally {
    await sql.run(`set threads = ${Number(threads)}`);
    second.closeSync();
  }
}
