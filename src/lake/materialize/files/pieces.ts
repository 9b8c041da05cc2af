import { rm } from "node:fs/promises";
import { isOutOfMemory } from "../../sql/duckdb.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { CURRENT_FILE, writeFiles } from "../../tables/written-files.js";
import { batchQuery } from "../batch-query.js";
import { type Batch, smallerBatches } from "../batches.js";
import { SHELF_OF_MONTH } from "../shared-tables.js";
import { reading } from "../sources.js";
import type { FileStorage } from "./file-storage.js";
import type { FreshMonth, Shelf } from "./shelf-plan.js";

/** The month of a row as `YYYY-MM`; rows without a day, which another tool left, lie together. */
const MONTH = `left(date_trunc('month', coalesce("date", date '1970-01-01'))::date::varchar, 7)`;

/** A batch's rows of one shelf, as a file in scratch. */
export interface Piece {
  readonly shelf: number;
  readonly path: string;
}

/** New rows by month; those that will be left out are still counted. */
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

/** Fills the table that says which shelf a month's new rows go to. */
export async function nameShelves(sql: SqlSession, shelves: readonly Shelf[]): Promise<void> {
  await sql.run(`create or replace table ${SHELF_OF_MONTH} (month varchar, shelf bigint)`);
  const values = shelves.flatMap(({ months }, at) => months.map((month) => `(${sqlText(month)}, ${at})`));
  if (values.length > 0) await sql.run(`insert into ${SHELF_OF_MONTH} values ${values.join(", ")}`);
}

/** Writes a batch's rows as a file for each shelf that they go to; in smaller batches where memory does not suffice. */
export async function writePieces(sql: SqlSession, storage: FileStorage, batch: Batch): Promise<Piece[]> {
  const directory = await storage.scratch("pieces");
  const query = `select source.*, shelf from (${batchQuery(batch)}) source
    join ${SHELF_OF_MONTH} on month = ${MONTH.replace('"date"', 'source."date"')}`;
  try {
    const files = await writeFiles(sql, query, sqlText(directory), {
      ...CURRENT_FILE,
      cut: `${CURRENT_FILE.cut}, partition_by (shelf), write_partition_columns false, overwrite_or_ignore true`,
    });
    return files.map(({ path }) => ({ path, shelf: shelfNumber(path) }));
  } catch (error) {
    await rm(directory, { force: true, recursive: true });
    const smaller = isOutOfMemory(error) ? smallerBatches(batch) : undefined;
    if (smaller === undefined) throw error;
    const pieces: Piece[] = [];
    for (const part of smaller) pieces.push(...(await writePieces(sql, storage, part)));
    return pieces;
  }
}

function shelfNumber(path: string): number {
  const number = /shelf=(\d+)[/\\][^/\\]*$/.exec(path)?.[1];
  if (number === undefined) throw new Error(`${path} names no shelf.`);
  return Number(number);
}
