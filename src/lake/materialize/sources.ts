import { localFiles } from "../delta/data-files.js";
import type { AddFile } from "../delta/delta-actions.js";
import { changesAfter } from "../delta/delta-log.js";
import type { ChangedFile, Snapshot } from "../delta/delta-snapshot.js";
import { type FileFacts, factsOf, holdsLinks, rowsIn } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { transactionChanges, transactions } from "../tables/transactions.js";
import { sinceWatermark } from "../watermark.js";
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

/** What brings `transactions` from one version of the feed to a later one. */
export interface FeedChanges {
  readonly adds: readonly AddFile[];
  /** The feed's version that `transactions` has reached with them. */
  readonly to: number;
  /** Whether the adds are all that the feed has up to there; they then replace whatever `transactions` holds. */
  readonly whole: boolean;
  /** Why the whole feed is read although there is a table. */
  readonly because?: string;
}

/**
 * Finds the feed's files to apply next to `transactions`: of as many versions as bring `partRows` rows, at least one. It starts
 * from the feed's beginning if the watermark means nothing or a version is lost; if even that can't be read, all live files
 * are one part: nothing tells which of them came first.
 *
 * @param anew why to start from the beginning although the watermark may be right
 */
export async function feedChanges(
  lake: Lake,
  current: Snapshot,
  head: Snapshot,
  partRows: number,
  anew?: string,
): Promise<FeedChanges> {
  const feed = transactionChanges.name;
  const since =
    anew === undefined
      ? await sinceWatermark(
          lake,
          { table: transactions.name, snapshot: current },
          { table: feed, snapshot: head },
        )
      : { because: anew };
  if (since.changed !== undefined) return { ...firstPart(since.changed, head, partRows), whole: false };
  const because = since.because ?? (current.files.size > 0 ? "it has lost its watermark" : undefined);
  const live = { adds: [...head.files.values()], to: head.version };
  const isOnePart = rowsIn(live.adds) <= partRows;
  const changed = isOnePart ? undefined : await changesAfter({ ...lake, table: feed }, -1, head);
  const part = changed === undefined ? live : firstPart(changed, head, partRows);
  return { ...part, whole: true, ...(because !== undefined && { because }) };
}

/** Takes whole versions only, so that readers never see part of a commit's rows. */
function firstPart(changed: readonly ChangedFile[], head: Snapshot, partRows: number) {
  let rows = 0;
  let to: number | undefined;
  for (const { version, add } of changed) {
    if (to !== undefined && version > to) break;
    rows += factsOf(add).rows ?? 0;
    if (rows >= partRows) to ??= version;
  }
  const adds = changed.filter(({ version }) => to === undefined || version <= to).map(({ add }) => add);
  // Versions without rows after the last part belong to it.
  const last = changed.at(-1)?.version;
  return { adds, to: to === undefined || to === last ? head.version : to };
}
