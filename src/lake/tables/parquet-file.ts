import { randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AddFile } from "../delta/delta-actions.js";
import { filePath } from "../delta/delta-path.js";
import type { TableSpec } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { jsonFile, parquetFiles } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName, sqlText } from "../sql/duckdb-sql.js";
import { withoutHalfPairs, writeJsonLines } from "../sql/json-lines.js";
import { unpublished } from "../store/local-store-errors.js";
import { APPENDED_FILE, type WrittenFile, writeFiles } from "./written-files.js";

/** A data file of a table; no commit refers to it yet. */
export interface DataFile {
  /** Relative to the table's directory. */
  readonly path: string;
  readonly size: number;
  readonly rows: number;
  /** Delta statistics text. */
  readonly stats: string;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
}

/** Makes the action that adds a data file to its table. */
export function addOf(file: DataFile, dataChange = true): AddFile {
  return {
    path: filePath(file.path),
    partitionValues: {},
    size: file.size,
    modificationTime: file.modifiedAt,
    dataChange,
    stats: file.stats,
  };
}

export function scratchPath(lake: Lake, extension: string): string {
  return join(lake.duckdb.scratchDirectory, `${randomUUID()}.${extension}`);
}

/**
 * Moves a written file into its table's directory, durably, under a new name
 * (docs/inside/architecture.md, "Data files").
 */
export async function storeFile(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  file: WrittenFile,
): Promise<DataFile> {
  const stored = await dataFileOf(prefix, file);
  await lake.store.upload(file.path, `${spec.name}/${stored.path}`);
  return stored;
}

/** Moves files as {@link storeFile} does, for one commit that will refer to all of them. */
export async function storeFiles(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  files: readonly WrittenFile[],
): Promise<DataFile[]> {
  const stored = await Promise.all(files.map((file) => dataFileOf(prefix, file)));
  const keys = stored.map(({ path }) => `${spec.name}/${path}`);
  await lake.store.uploadAll(files.map(({ path }, at) => ({ localPath: path, key: keys[at] as string })));
  return stored;
}

async function dataFileOf(prefix: string, { path, rows, stats }: WrittenFile): Promise<DataFile> {
  const { size, mtimeMs } = await stat(path);
  const name = `${prefix}-${randomUUID()}.parquet`;
  return { path: name, size, rows, stats, modifiedAt: Math.trunc(mtimeMs) };
}

/** Gives the `maximum_object_size` for some objects; DuckDB's buffers have that size (docs/inside/architecture.md, "Load"). */
export function objectSize(bytes: readonly number[]): number {
  return Math.max(1024 * 1024, ...bytes.map((size) => size + 1024));
}

/**
 * Writes the result of a query as one data file of a table; undefined if it has no rows.
 *
 * @param query the query, or a function that prepares its tables and gives it
 */
export async function writeQuery(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  query: string | ((sql: SqlSession) => Promise<string>),
): Promise<DataFile | undefined> {
  const path = scratchPath(lake, "parquet");
  try {
    const [written] = await lake.duckdb.exclusive(async (sql) => {
      const select = typeof query === "string" ? query : await query(sql);
      return writeFiles(sql, select, sqlText(path), APPENDED_FILE);
    });
    return written && (await storeFile(lake, spec, prefix, written));
  } finally {
    await rm(path, { force: true });
  }
}

/** Writes the results of queries into scratch files for `work`, which is given the SQL that reads all of them. */
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

/** Writes rows of JSON values (instants and decimals as text) as one data file of a table. */
export async function writeRows(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<DataFile | undefined> {
  if (rows.length === 0) return undefined;
  const source = scratchPath(lake, "jsonl");
  try {
    await lake.duckdb.makeScratch();
    const longest = await writeJsonLines(source, rows, withoutHalfPairs).catch((error) => {
      throw unpublished(error, source);
    });
    const values = spec.columns
      .map(({ name, type }) => `${sqlName(name)}::${type} as ${sqlName(name)}`)
      .join(", ");
    const texts = jsonFile(source, {
      lines: true,
      columns: Object.fromEntries(spec.columns.map(({ name }) => [name, "VARCHAR"])),
      maximumObjectSize: objectSize([longest]),
    });
    return await writeQuery(lake, spec, prefix, `select ${values} from ${texts}`);
  } finally {
    await rm(source, { force: true });
  }
}
