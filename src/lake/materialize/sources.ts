import type { AddFile } from "../delta-actions.js";
import { fileKey } from "../delta-path.js";
import type { SqlSession } from "../duckdb-session.js";
import { sqlList, sqlText } from "../duckdb-sql.js";
import type { Lake } from "../lake.js";

const VALUES_AT_ONCE = 500;

/** A data file as SQL reads it. */
export interface SourceFile {
  readonly add: AddFile;
  /** Its number in a temp table: rows there name their file without repeating its path. */
  readonly id: number;
  /** Local path. */
  readonly path: string;
  /** Rows and bounds by the log; undefined where another tool left them out. */
  readonly rows: number | undefined;
  readonly links: readonly [min: string, max: string] | undefined;
  readonly firstDay: string | undefined;
}

interface FileStats {
  readonly numRecords?: number;
  readonly minValues?: { readonly link_id?: string; readonly date?: string };
  readonly maxValues?: { readonly link_id?: string };
}

/** Makes a table's files readable for SQL. @throws InputError where a file is missing. */
export async function sourceFiles(
  lake: Lake,
  table: string,
  adds: readonly AddFile[],
): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const [id, add] of adds.entries()) {
    const path = await lake.store.download(fileKey(table, add.path), lake.duckdb.scratchDirectory);
    const { numRecords, minValues, maxValues } = JSON.parse(add.stats ?? "{}") as FileStats;
    const [min, max] = [minValues?.link_id, maxValues?.link_id];
    const links = min === undefined || max === undefined ? undefined : ([min, max] as const);
    files.push({ add, id, path, rows: numRecords, links, firstDay: minValues?.date });
  }
  return files;
}

/** Fills a temp table `name(file, filename)` with the numbers of files. */
export async function numberFiles(
  sql: SqlSession,
  name: string,
  files: readonly SourceFile[],
): Promise<void> {
  await sql.run(`create or replace temp table ${name} (file integer, filename varchar)`);
  for (let at = 0; at < files.length; at += VALUES_AT_ONCE) {
    const rows = files.slice(at, at + VALUES_AT_ONCE).map(({ id, path }) => `(${id}, ${sqlText(path)})`);
    await sql.run(`insert into ${name} values ${rows.join(", ")}`);
  }
}

/** `read_parquet` of some files. */
export function reading(files: readonly SourceFile[], withName = false): string {
  return `read_parquet(${sqlList(files.map(({ path }) => path))}${withName ? ", filename = true" : ""})`;
}

/** The numbers of files as a SQL list for `in`. */
export function numbersOf(files: readonly SourceFile[]): string {
  return `(${files.map(({ id }) => id).join(", ")})`;
}

/** Files that may hold rows of links in a range, bounds compared as UTF-8 bytes as their statistics were made. */
export function holdingLinks(files: readonly SourceFile[], from: string, to: string): SourceFile[] {
  const [low, high] = [Buffer.from(from), Buffer.from(to)];
  return files.filter(
    ({ links }) =>
      links === undefined ||
      (Buffer.compare(Buffer.from(links[0]), high) <= 0 && Buffer.compare(Buffer.from(links[1]), low) >= 0),
  );
}
