import { localFiles } from "../delta/data-files.js";
import type { AddFile } from "../delta/delta-actions.js";
import { type FileFacts, factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { parquetFiles } from "../sql/duckdb-files.js";

export interface SourceFile extends FileFacts {
  readonly add: AddFile;
  /** Its number in temp tables, whose rows name their file without repeating its path. */
  readonly id: number;
  readonly path: string;
}

/** Makes a table's files readable for SQL. @throws InputError where a file is missing. */
export async function sourceFiles(
  lake: Pick<Lake, "store" | "duckdb">,
  table: string,
  adds: readonly AddFile[],
): Promise<SourceFile[]> {
  const paths = await localFiles({ ...lake, table }, adds);
  return adds.map((add, id) => ({ add, id, path: paths[id] as string, ...factsOf(add) }));
}

/** SQL of the rows of files, for columns that files of every version have, such as a row's identity and order. */
export function reading(files: readonly SourceFile[]): string {
  return parquetFiles(files.map(({ path }) => path));
}

/** SQL of the number of a row's file, over `reading` of these files; it compares no paths. */
export function fileNumber(files: readonly SourceFile[]): string {
  const [only, ...others] = files.map(({ id }) => id);
  return others.length === 0 ? `${only}` : `[${[only, ...others].join(", ")}][file_index::bigint + 1]`;
}

export function numbersOf(files: readonly SourceFile[]): string {
  return `(${files.map(({ id }) => id).join(", ")})`;
}

export function holdingLinks(files: readonly SourceFile[], from: string, to: string): SourceFile[] {
  return files.filter(holdsLinks(from, to));
}
