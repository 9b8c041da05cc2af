import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Column } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { andInPart, type RowPart } from "../materialize/row-parts.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { columnNames, sqlName, sqlNames, sqlText } from "../sql/duckdb-sql.js";
import { APPENDED_FILE, scratchPath, writeFiles } from "../tables/parquet-file.js";
import type { HistoryFiles } from "./history-files.js";
import { currentOf, type HistorySpec, markOf, OBSERVED_AT, sameIn } from "./history-spec.js";

/** A row's place as one number: unlike a struct, it needs no memory of its own for each key. */
const PLACE = `(file_index::bigint * ${2 ** 40} + file_row_number)`;
const PLACES = 2n ** 63n;

/** The local files that hold the newest rows: those of the small table, and those that brought rows after it. */
export type NewestFiles = Pick<HistoryFiles, "current" | "since">;

/** Which keys to read: those whose hash is in a part. */
export type KeyPart = Omit<RowPart, "rows">;

/** Which keys to read: all, or those of a part; with `ownersIn` only those of the owners in a table with their columns. */
interface Selection extends Partial<KeyPart> {
  readonly ownersIn?: string;
}

/**
 * SQL of the newest row of each key, gone keys included, with all columns of the history. Rows that came since win over
 * the small table. The query compares keys and times first, and then reads only the wide rows that count.
 */
export function newestRows(spec: HistorySpec, files: NewestFiles, selection: Selection = {}): string {
  const every = columnNames(spec.columns);
  const key = sqlNames(spec.key);
  const only = restriction(spec, selection);
  const current = `select ${every} from (
    select *, ${markOf(spec, "updated")} as ${spec.mark} from ${filesOf(currentOf(spec).columns, files.current)} ${only}) c`;
  if (files.since.length === 0) return current;
  const newest = `
    with since as not materialized (
      select * from ${filesOf(spec.columns, files.since)} ${only}
    ), newest as materialized (
      select ${key}, (max(epoch_us(${OBSERVED_AT})::hugeint * ${PLACES} + ${PLACE}) % ${PLACES})::bigint as place
      from since group by ${key}
    )
    select ${every} from since semi join newest on ${PLACE} = place`;
  if (files.current.length === 0) return newest;
  return `${newest} union all ${current} anti join newest on ${sameIn(spec.key, "c", "newest")}`;
}

function restriction({ owner, key }: HistorySpec, { ownersIn, part = 0, parts = 1 }: Selection): string {
  const owners = ownersIn && `semi join ${ownersIn} using (${sqlNames(owner)})`;
  return `${owners ?? ""} where true${andInPart({ part, parts }, sqlNames(key))}`;
}

function filesOf(columns: readonly Column[], files: readonly string[]): string {
  return parquetRows(files, columns, "file_index", "file_row_number");
}

/** SQL of the approximate number of keys that have rows in the files that came since. */
export function keysIn(spec: HistorySpec, files: HistoryFiles): string {
  const key = spec.key.map((name) => `coalesce(${sqlName(name)}, '')`).join(" || ' ' || ");
  return `select approx_count_distinct(${key}) as keys from ${filesOf(spec.columns, files.since)}`;
}

/** Files that are written at once: each takes memory. */
const FAN_OUT = 16;
/** Rows that wait in memory to be written to them. */
const WAITING_ROWS = 20_480;

const PART_FILE = { ...APPENDED_FILE, cut: ", partition_by (part), write_partition_columns false" };

/**
 * Works on so many parts of a history's keys, one by one, each with files that hold all rows of its keys: the rows are copied,
 * for at most 16 parts at a time, so the time grows with them. @param divisor of a key's hash, whose lower digits chose this part
 */
export async function inKeyParts(
  lake: Pick<Lake, "duckdb">,
  spec: HistorySpec,
  files: NewestFiles,
  parts: number,
  work: (files: NewestFiles) => Promise<void>,
  divisor = 1n,
): Promise<void> {
  if (parts <= 1) return work(files);
  const levels = Math.ceil(Math.log(parts) / Math.log(FAN_OUT));
  const fan = Math.ceil(parts ** (1 / levels));
  const directory = scratchPath(lake, "parts");
  const part = `hash(${sqlNames(spec.key)}) // ${divisor} % ${fan}`;
  const cut = (columns: readonly Column[], name: keyof NewestFiles) =>
    cutRows(
      lake,
      `select *, ${part} as part from ${parquetRows(files[name], columns)}`,
      join(directory, name),
    );
  try {
    await lake.duckdb.makeScratch();
    await mkdir(directory);
    const current = await cut(currentOf(spec).columns, "current");
    const since = await cut(spec.columns, "since");
    for (let at = 0; at < fan; at += 1) {
      const own = { current: current.get(at) ?? [], since: since.get(at) ?? [] };
      await inKeyParts(lake, spec, own, Math.ceil(parts / fan), work, divisor * BigInt(fan));
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Writes rows into a directory, and gives the files of each part. */
async function cutRows(
  lake: Pick<Lake, "duckdb">,
  query: string,
  directory: string,
): Promise<Map<number, string[]>> {
  const written = await lake.duckdb.exclusive(async (sql) => {
    await sql.run(`set partitioned_write_flush_threshold = ${WAITING_ROWS}`);
    return writeFiles(sql, query, sqlText(directory), PART_FILE);
  });
  const files = new Map<number, string[]>();
  for (const { path } of written) {
    const part = Number(/part=(\d+)[/\\][^/\\]*$/.exec(path)?.[1]);
    files.set(part, [...(files.get(part) ?? []), path]);
  }
  return files;
}
