import { localFiles } from "../delta/data-files.js";
import type { AddFile } from "../delta/delta-actions.js";
import { type FileFacts, factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { type LinkRows, type RowPart, rowParts } from "./row-parts.js";

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

/**
 * Wide rows that one statement splits by month. It keeps them all in memory until it ends, and two run at a time:
 * 25,000 keep the process near 300 MB; 50,000 near 350, and spill.
 */
const BATCH_ROWS = 25_000;

export interface Batch extends RowPart {
  /** Feed files, read without their superseded rows. */
  readonly feed: readonly SourceFile[];
}

export function feedBatches(files: readonly SourceFile[]): Batch[] {
  const packs: { feed: SourceFile[]; rows: number }[] = [];
  for (const file of files) {
    const rows = fileRows(file);
    const open = packs.at(-1);
    if (open !== undefined && open.rows + rows <= BATCH_ROWS) {
      open.feed.push(file);
      open.rows += rows;
    } else packs.push({ feed: [file], rows });
  }
  return packs.flatMap(({ feed, rows }) => rowParts(rows, BATCH_ROWS).map((part) => ({ feed, ...part })));
}

/** Gives the rows of a file by the log, or a whole batch if another tool left them out. */
export function fileRows(file: Pick<SourceFile, "rows">): number {
  return file.rows ?? BATCH_ROWS;
}

/** Counts the rows of each link in files, in the order of links. */
export async function linkCounts(sql: SqlSession, files: readonly SourceFile[]): Promise<LinkRows[]> {
  if (files.length === 0) return [];
  const rows = await sql.rows(
    `select link_id, count(*) as n from ${reading(files)} group by link_id order by link_id`,
  );
  return rows.map(({ link_id, n }) => ({ link: String(link_id), rows: Number(n) }));
}
