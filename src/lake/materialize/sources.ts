import type { AddFile } from "../delta/delta-actions.js";
import { fileKey } from "../delta/delta-path.js";
import { type FileFacts, factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { parquetFiles } from "../sql/duckdb-files.js";

const DOWNLOADS_AT_ONCE = 32;

/** A data file as SQL reads it. */
export interface SourceFile extends FileFacts {
  readonly add: AddFile;
  /** Its number in temp tables: rows there name their file without repeating its path. */
  readonly id: number;
  /** Local path. */
  readonly path: string;
}

/** Makes a table's files readable for SQL. @throws InputError where a file is missing. */
export async function sourceFiles(
  lake: Lake,
  table: string,
  adds: readonly AddFile[],
): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (let at = 0; at < adds.length; at += DOWNLOADS_AT_ONCE) {
    const some = adds.slice(at, at + DOWNLOADS_AT_ONCE);
    files.push(...(await Promise.all(some.map((add, n) => sourceFile(lake, table, add, at + n)))));
  }
  return files;
}

async function sourceFile(lake: Lake, table: string, add: AddFile, id: number): Promise<SourceFile> {
  const path = await lake.store.download(fileKey(table, add.path), lake.duckdb.scratchDirectory);
  return { add, id, path, ...factsOf(add) };
}

/** The rows of some files. */
export function reading(files: readonly SourceFile[]): string {
  return parquetFiles(files.map(({ path }) => path));
}

/** The number of a row's file, as SQL over `reading` of these files: no path is looked at for each row. */
export function fileNumber(files: readonly SourceFile[]): string {
  const [only, ...others] = files.map(({ id }) => id);
  return others.length === 0 ? `${only}` : `[${[only, ...others].join(", ")}][file_index::bigint + 1]`;
}

/** The numbers of files as a SQL list for `in`. */
export function numbersOf(files: readonly SourceFile[]): string {
  return `(${files.map(({ id }) => id).join(", ")})`;
}

/** Files that may hold rows of links in a range. */
export function holdingLinks(files: readonly SourceFile[], from: string, to: string): SourceFile[] {
  return files.filter(holdsLinks(from, to));
}
