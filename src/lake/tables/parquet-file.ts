import { randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type AddFile, SHA256_TAG } from "../delta/delta-actions.js";
import { filePath } from "../delta/delta-path.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { type ColumnStats, type StatsColumn, statsText } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { inParts } from "../parts.js";
import { jsonLine, jsonRows, parquetFiles, withoutHalfPairs, writeLines } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import type { SqlValue } from "../sql/duckdb-values.js";
import { unpublished } from "../store/local/local-store-errors.js";
import { fileSha256 } from "../store/local/local-store-files.js";
import { encryptedRow } from "./encrypted-column.js";

/** Higher levels cost a tenth of a load and save a few percent (docs/inside/performance.md). */
const FILE_OPTIONS = "format parquet, compression zstd, compression_level 1, return_stats true";

/** A longer bound may be cut, and readers would skip rows beyond it. */
const CUT_BYTES = 256;

interface FileForm {
  /** DuckDB allocates buffers for a row group of each file. */
  readonly rowGroupSize: number;
  /** Further options of COPY. */
  readonly cut?: string;
}

/** Written one at a time, in bounded memory (docs/inside/rules.md, "Load"). */
export const APPENDED_FILE: FileForm = { rowGroupSize: 20_480 };

/** A file in scratch, with what the log will say about it. */
export interface WrittenFile {
  readonly path: string;
  readonly rows: number;
  readonly stats: string;
}

/**
 * Writes a query's rows to a file, or a directory of files if the options split them. Statistics are the writer's; empty
 * files are left out.
 */
export async function writeFiles(
  sql: SqlSession,
  query: string,
  target: string,
  { rowGroupSize, cut = "" }: FileForm,
): Promise<WrittenFile[]> {
  const written = await sql.rowsAtOnce(
    `copy (${query}) to ${target} (${FILE_OPTIONS}, row_group_size ${rowGroupSize}${cut})`,
  );
  return written
    .filter(({ count }) => Number(count) > 0)
    .map(({ filename, count, column_statistics }) => {
      const columns = column_statistics as Readonly<Record<string, SqlValue>>;
      const rows = Number(count);
      const bounds = STATS_COLUMNS.flatMap(([name, typed]) => {
        const column = columns[`"${name}"`];
        return column === undefined ? [] : [[name, boundsOf(column, typed)] as const];
      });
      return { path: String(filename), rows, stats: statsText(rows, Object.fromEntries(bounds)) };
    });
}

const STATS_COLUMNS: readonly (readonly [StatsColumn, (text: string) => string | bigint])[] = [
  ["link_id", String],
  ["date", String],
  ["sequence", BigInt],
];

/** No bounds where every value is null, or a text may be cut. */
function boundsOf(column: SqlValue, typed: (text: string) => string | bigint): ColumnStats {
  const { min, max, null_count } = column as Readonly<Record<string, string | undefined>>;
  const bound = (text: string | undefined) =>
    text === undefined || Buffer.byteLength(text) >= CUT_BYTES ? null : typed(text);
  return { min: bound(min), max: bound(max), nullCount: Number(null_count) };
}

/** No commit refers to it yet. */
export interface DataFile {
  /** Relative to the table. */
  readonly path: string;
  readonly size: number;
  readonly rows: number;
  readonly stats: string;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  readonly sha256: string;
}

export function addOf(file: DataFile, dataChange = true): AddFile {
  return {
    path: filePath(file.path),
    partitionValues: {},
    size: file.size,
    modificationTime: file.modifiedAt,
    dataChange,
    stats: file.stats,
    tags: { [SHA256_TAG]: file.sha256 },
  };
}

export function scratchPath(lake: Pick<Lake, "duckdb">, extension: string): string {
  return join(lake.duckdb.scratchDirectory, `${randomUUID()}.${extension}`);
}

/** Moves files into their table's directory, durably, under new names. */
export async function storeFiles(
  { store }: Lake,
  { name }: TableSpec,
  prefix: string,
  files: readonly WrittenFile[],
): Promise<DataFile[]> {
  const moved = await Promise.all(
    files.map(async ({ path: localPath, rows, stats }) => {
      const [{ size, mtimeMs }, sha256] = await Promise.all([stat(localPath), fileSha256(localPath)]);
      const path = `${prefix}-${randomUUID()}.parquet`;
      const file: DataFile = { path, size, rows, stats, modifiedAt: Math.trunc(mtimeMs), sha256 };
      return { localPath, key: `${name}/${path}`, file };
    }),
  );
  await store.uploadAll(moved);
  return moved.map(({ file }) => file);
}

/**
 * Writes a query's result as one data file; none without rows.
 * @throws Error for encrypted columns, which SQL can't encrypt: use {@link writeRows}
 */
export async function writeQuery(...args: Parameters<typeof writeStored>): Promise<DataFile[]> {
  const [, { name, columns }] = args;
  if (columns.some(({ encrypted }) => encrypted))
    throw new Error(`SQL would write encrypted columns of ${name} in the clear.`);
  return writeStored(...args);
}

/** As {@link writeQuery}, for values that are already encrypted. */
export async function writeStored(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  query: string | ((sql: SqlSession) => Promise<string>),
  threads?: number,
): Promise<DataFile[]> {
  const path = scratchPath(lake, "parquet");
  try {
    const written = await lake.duckdb.exclusive(async (sql) => {
      const select = typeof query === "string" ? query : await query(sql);
      return writeFiles(sql, select, sqlText(path), APPENDED_FILE);
    }, threads);
    return await storeFiles(lake, spec, prefix, written);
  } finally {
    await rm(path, { force: true });
  }
}

/** Gives `work` the SQL that reads queries' results from scratch files. */
export async function withSpooled<T>(
  lake: Lake,
  fill: (add: (query: string) => Promise<void>) => Promise<void>,
  work: (source: string) => Promise<T>,
): Promise<T> {
  const paths: string[] = [];
  try {
    await fill(async (query) => {
      const path = scratchPath(lake, "parquet");
      paths.push(path);
      await lake.duckdb.exclusive((sql) => writeFiles(sql, query, sqlText(path), APPENDED_FILE));
    });
    return await work(`select * from ${parquetFiles(paths)}`);
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

/** A statement takes several times its text in memory. */
const FILE_BOUNDS = { count: Number.POSITIVE_INFINITY, bytes: 8 * 1024 * 1024 };

type Row = Readonly<Record<string, unknown>>;

/**
 * Writes rows of JSON values (instants and decimals as text) as data files, several where rows are long; encrypts
 * columns with the lake's key.
 */
export async function writeRows(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  rows: Iterable<Row> | AsyncIterable<Row>,
): Promise<DataFile[]> {
  async function* lines() {
    for await (const row of rows) yield jsonLine(encryptedRow(lake.sealer, spec, row), withoutHalfPairs);
  }
  const files: DataFile[] = [];
  for await (const part of inParts(lines(), FILE_BOUNDS, Buffer.byteLength)) {
    files.push(...(await writePart(lake, spec, prefix, part)));
  }
  return files;
}

async function writePart(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  lines: readonly string[],
): Promise<DataFile[]> {
  const source = scratchPath(lake, "jsonl");
  try {
    await lake.duckdb.makeScratch();
    const longest = await writeLines(source, lines).catch((error) => {
      throw unpublished(error, source);
    });
    return await writeStored(lake, spec, prefix, jsonRows(source, spec.columns, longest));
  } finally {
    await rm(source, { force: true });
  }
}
