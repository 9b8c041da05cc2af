import { randomUUID } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AddFile } from "../delta/delta-actions.js";
import { filePath } from "../delta/delta-path.js";
import type { TableSpec } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { jsonFile } from "../sql/duckdb-files.js";
import { sqlName, sqlText } from "../sql/duckdb-sql.js";
import { unpublished } from "../store/local-store-errors.js";
import { APPENDED_FILE, writeFiles } from "./written-files.js";

/** A data file of a table that no commit refers to yet. */
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

/** The action that makes a data file part of its table. */
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

/** A path in the scratch directory that nothing else uses. */
export function scratchPath(lake: Lake, extension: string): string {
  return join(lake.duckdb.scratchDirectory, `${randomUUID()}.${extension}`);
}

/**
 * Moves a written file into its table's directory, durably, under a name of its own
 * (docs/inside/architecture.md, "Data files").
 */
export async function storeFile(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  path: string,
  known: { rows: number; stats: string },
): Promise<DataFile> {
  const { size, mtimeMs } = await stat(path);
  const name = `${prefix}-${randomUUID()}.parquet`;
  await lake.store.upload(path, `${spec.name}/${name}`);
  return { path: name, size, rows: known.rows, stats: known.stats, modifiedAt: Math.trunc(mtimeMs) };
}

/** As {@link storeFile}, for many files that one commit will refer to. */
export async function storeFiles(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  files: readonly { readonly path: string; readonly rows: number; readonly stats: string }[],
): Promise<DataFile[]> {
  const stored: DataFile[] = [];
  for (const { path, rows, stats } of files) {
    const { size, mtimeMs } = await stat(path);
    const name = `${prefix}-${randomUUID()}.parquet`;
    stored.push({ path: name, size, rows, stats, modifiedAt: Math.trunc(mtimeMs) });
  }
  await lake.store.uploadAll(
    files.map(({ path }, at) => ({ localPath: path, key: `${spec.name}/${stored[at]?.path}` })),
  );
  return stored;
}

/**
 * `maximum_object_size` for the largest of some objects: DuckDB takes buffers of that size
 * (docs/inside/architecture.md, "Load").
 */
export function objectSize(bytes: readonly number[]): number {
  return Math.max(1024 * 1024, ...bytes.map((size) => size + 1024));
}

/** Writes the result of a query as one data file of a table; undefined where it has no rows. */
export async function writeQuery(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  query: string,
): Promise<DataFile | undefined> {
  const path = scratchPath(lake, "parquet");
  try {
    const [known] = await lake.duckdb.exclusive((sql) =>
      writeFiles(sql, query, sqlText(path), APPENDED_FILE),
    );
    return known && (await storeFile(lake, spec, prefix, path, known));
  } finally {
    await rm(path, { force: true });
  }
}

/** Of JSON.stringify: a state or a reason may quote what the service sent; DuckDB refuses half a surrogate pair. */
export function readable(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(/\p{Surrogate}/gu, "\ufffd") : value;
}

/** Writes rows given as JSON values (instants and decimals as text) as one data file of a table. */
export async function writeRows(
  lake: Lake,
  spec: TableSpec,
  prefix: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<DataFile | undefined> {
  if (rows.length === 0) return undefined;
  const source = scratchPath(lake, "jsonl");
  try {
    const lines = rows.map((row) => `${JSON.stringify(row, readable)}\n`);
    await writeSource(lake, source, lines.join(""));
    const values = spec.columns
      .map(({ name, type }) => `${sqlName(name)}::${type} as ${sqlName(name)}`)
      .join(", ");
    const texts = jsonFile(source, {
      lines: true,
      columns: Object.fromEntries(spec.columns.map(({ name }) => [name, "VARCHAR"])),
      maximumObjectSize: objectSize(lines.map((line) => Buffer.byteLength(line))),
    });
    return await writeQuery(lake, spec, prefix, `select ${values} from ${texts}`);
  } finally {
    await rm(source, { force: true });
  }
}

async function writeSource({ duckdb }: Lake, path: string, text: string): Promise<void> {
  try {
    await duckdb.makeScratch();
    await writeFile(path, text, { mode: 0o600 });
  } catch (error) {
    throw unpublished(error, path);
  }
}
