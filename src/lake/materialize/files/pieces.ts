import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Lake } from "../../lake.js";
import { type ParquetFooter, readParquetFooter } from "../../parquet/parquet-footer.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { columnNames, sqlText } from "../../sql/duckdb-sql.js";
import {
  CURRENT_FILE,
  type DataFile,
  scratchPath,
  storeFiles,
  type WrittenFile,
  writeFiles,
} from "../../tables/parquet-file.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { SHELF_OF_MONTH, SUPERSEDED } from "../changed-keys.js";
import { andInPart, inHalves } from "../row-parts.js";
import { type Batch, numbersOf, reading, type SourceFile } from "../sources.js";
import type { FreshMonth, Shelf } from "./shelf-plan.js";

/** SQL of a row's month as `YYYY-MM`; rows without a day, which other tools leave, go together. */
const MONTH = `left(date_trunc('month', coalesce("date", date '1970-01-01'))::date::varchar, 7)`;

const columns = () => columnNames(transactions.columns);

export interface Piece {
  readonly shelf: number;
  readonly path: string;
}

/** Counts new rows by month, including rows that will be left out. */
export async function freshMonths(
  sql: SqlSession,
  batches: readonly Batch[],
): Promise<Map<string, FreshMonth>> {
  const months = new Map<string, FreshMonth>();
  for (const batch of batches) {
    const counts = await sql.rows(`select ${MONTH} as month, count(*) as n from ${reading(batch.feed)}
      where change_type <> 'removed' group by all`);
    for (const { month, n } of counts) {
      const before = months.get(String(month)) ?? { rows: 0, pieces: 0 };
      const rows = before.rows + Math.ceil(Number(n) / batch.parts);
      months.set(String(month), { rows, pieces: before.pieces + 1 });
    }
  }
  return months;
}

export async function nameShelves(sql: SqlSession, shelves: readonly Shelf[]): Promise<void> {
  await sql.run(`create or replace table ${SHELF_OF_MONTH} (month varchar, shelf bigint)`);
  const values = shelves.flatMap(({ months }, at) => months.map((month) => `(${sqlText(month)}, ${at})`));
  if (values.length > 0) await sql.run(`insert into ${SHELF_OF_MONTH} values ${values.join(", ")}`);
}

/** Writes a batch's rows as one file per shelf, in smaller batches if memory does not suffice; `like` is an empty file's footer. */
export async function writePieces(
  sql: SqlSession,
  storage: FileStorage,
  batch: Batch,
  like: ParquetFooter,
): Promise<Piece[]> {
  const source = await readingWhole(batch.feed, like);
  const written = await inHalves(batch, async (part) => {
    const directory = await storage.scratch("pieces");
    try {
      const files = await writeFiles(sql, piecesQuery(part, source), sqlText(directory), PIECE_FILE);
      return files.map(({ path }) => ({ path, shelf: shelfNumber(path) }));
    } catch (error) {
      await rm(directory, { force: true, recursive: true });
      throw error;
    }
  });
  return written.flat();
}

const PIECE_FILE = {
  ...CURRENT_FILE,
  cut: `${CURRENT_FILE.cut}, partition_by (shelf), write_partition_columns false, overwrite_or_ignore true`,
};

/** SQL of the rows of files with every column of the feed. `parquetRows` takes a third more memory: for files that lack some. */
async function readingWhole(files: readonly SourceFile[], like: ParquetFooter): Promise<string> {
  for (const { path } of files) {
    const footer = await readParquetFooter(path);
    if (footer?.schema.equals(like.schema)) continue;
    return parquetRows(
      files.map((file) => file.path),
      transactionChanges.columns,
    );
  }
  return reading(files);
}

function piecesQuery(batch: Batch, source: string): string {
  const superseded = `select link_id, sequence from ${SUPERSEDED} where file in ${numbersOf(batch.feed)}`;
  const rows = `select ${columns()} from ${source}
    anti join (${superseded}) using (link_id, sequence)
    where change_type <> 'removed'${andInPart(batch)}`;
  return `select source.*, shelf from (${rows}) source
    join ${SHELF_OF_MONTH} on month = ${MONTH.replace('"date"', 'source."date"')}`;
}

function shelfNumber(path: string): number {
  const number = /shelf=(\d+)[/\\][^/\\]*$/.exec(path)?.[1];
  if (number === undefined) throw new Error(`${path} names no shelf.`);
  return Number(number);
}

/** Files that are synced together: for small ones the disk takes no longer than for one. */
const STORED_AT_ONCE = 4;

interface StoredFile extends DataFile {
  /** Whether its rows are those of the files that it replaces, unchanged. */
  readonly same: boolean;
}

export class FileStorage {
  readonly #directory: string;
  readonly #stored: StoredFile[] = [];
  #made: Promise<unknown> | undefined;
  #waiting: { file: WrittenFile; same: boolean }[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly lake: Lake,
    private readonly prefix: string,
  ) {
    this.#directory = scratchPath(lake, "materialize");
  }

  /** Makes a new path in scratch for SQL to write to; the end of the call clears the scratch. */
  async scratch(extension: string): Promise<string> {
    this.#made ??= this.lake.duckdb.makeScratch().then(() => mkdir(this.#directory, { recursive: true }));
    await this.#made;
    return join(this.#directory, `${randomUUID()}.${extension}`);
  }

  /** Takes files over; waits for all but the last few, so that scratch holds only a few. `same`: no row came or went. */
  async store(files: readonly WrittenFile[], same: boolean): Promise<void> {
    this.#waiting.push(...files.map((file) => ({ file, same })));
    if (this.#waiting.length < STORED_AT_ONCE) return;
    const before = this.#last;
    this.#storeWaiting();
    await before;
  }

  async finished(): Promise<readonly StoredFile[]> {
    this.#storeWaiting();
    await this.#last;
    await rm(this.#directory, { force: true, recursive: true });
    return this.#stored;
  }

  /** Deletes all stored files: no commit refers to them. */
  async discard(): Promise<void> {
    await this.#last.catch(() => undefined);
    await rm(this.#directory, { force: true, recursive: true });
    await Promise.all(this.#stored.map(({ path }) => this.lake.store.delete(`${transactions.name}/${path}`)));
  }

  #storeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#last = this.#last.then(async () => {
      const files = waiting.map(({ file }) => file);
      const stored = await storeFiles(this.lake, transactions, this.prefix, files);
      this.#stored.push(...stored.map((file, at) => ({ ...file, same: waiting[at]?.same === true })));
    });
    // The next wait throws the failure; until then it must not count as unhandled.
    this.#last.catch(() => undefined);
  }
}
