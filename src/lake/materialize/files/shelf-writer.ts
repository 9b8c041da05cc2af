import { rm } from "node:fs/promises";
import { type ParquetFooter, type RowGroup, readParquetFooter } from "../../parquet/parquet-footer.js";
import { writeRowGroups } from "../../parquet/row-groups.js";
import { parquetFiles } from "../../sql/duckdb-files.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlName, sqlText } from "../../sql/duckdb-sql.js";
import type { SqlValue } from "../../sql/duckdb-values.js";
import { transactions } from "../../tables/transactions.js";
import { CURRENT_FILE, type WrittenFile, writeFiles } from "../../tables/written-files.js";
import { GONE } from "../shared-tables.js";
import { numbersOf, type SourceFile } from "../sources.js";
import type { FileStorage } from "./file-storage.js";
import type { Piece } from "./pieces.js";
import { filesOfShelf, type Shelf, SMALL_GROUP_ROWS } from "./shelf-plan.js";

/** The columns of `transactions`; other tools' files may have other types for the same values. */
const COLUMNS = transactions.columns
  .map(({ name, type }) => `${sqlName(name)}::${type} as ${sqlName(name)}`)
  .join(", ");

/** What a shelf became. */
interface WrittenShelf {
  /** No row came or went: only the files are others. */
  readonly same: boolean;
  readonly replaced: readonly SourceFile[];
  readonly files: readonly WrittenFile[];
}

/** What there is to be written: row groups to copy, and what SQL must read and encode. */
interface Sources {
  readonly copied: RowGroup[];
  readonly decoded: RowGroup[];
  /** Files of other tools, whose row groups can't stand beside ours. */
  readonly foreign: string[];
}

/** The footer of an empty file of the table, with which all that is copied must agree. */
export async function ownFooter(sql: SqlSession, storage: FileStorage): Promise<ParquetFooter> {
  const path = await storage.scratch("parquet");
  const columns = transactions.columns.map(({ name, type }) => `null::${type} as ${sqlName(name)}`);
  await sql.run(`copy (select ${columns.join(", ")} limit 0) to ${sqlText(path)} (format parquet)`);
  const footer = await readParquetFooter(path);
  await rm(path, { force: true });
  if (footer === undefined) throw new Error("SQL wrote a Parquet file whose footer can't be read.");
  return footer;
}

/** Writes shelves for one commit. */
export class ShelfWriter {
  readonly #storage: FileStorage;
  readonly #like: ParquetFooter;

  constructor(storage: FileStorage, like: ParquetFooter) {
    this.#storage = storage;
    this.#like = like;
  }

  /**
   * Writes a shelf: row groups that lose rows, and small ones, are decoded and written again as one stream; all others
   * are copied as they are.
   */
  async write(
    sql: SqlSession,
    shelf: Shelf,
    touched: ReadonlySet<SourceFile>,
    pieces: readonly Piece[],
  ): Promise<WrittenShelf> {
    const losing = shelf.files.filter((file) => touched.has(file));
    const same = losing.length === 0 && pieces.length === 0;
    if (same && shelf.files.length < 2) return { same, replaced: [], files: [] };
    const sources = await this.#sources(sql, shelf, touched, pieces);
    const encoded = await this.#encode(sql, sources, losing);
    const groups = [...sources.copied, ...(encoded?.groups ?? [])].sort(byFirstLink);
    const files: WrittenFile[] = [];
    for (const some of cut(groups)) {
      files.push(await writeRowGroups(some, this.#like, await this.#storage.scratch("parquet")));
    }
    for (const { path } of pieces) await rm(path, { force: true });
    if (encoded !== undefined) await rm(encoded.path, { force: true });
    return { same, replaced: shelf.files, files };
  }

  async #sources(
    sql: SqlSession,
    shelf: Shelf,
    touched: ReadonlySet<SourceFile>,
    pieces: readonly Piece[],
  ): Promise<Sources> {
    const sources: Sources = { copied: [], decoded: [], foreign: [] };
    const whole: RowGroup[] = [];
    for (const file of shelf.files) {
      const groups = await this.#groups(file.path);
      if (groups === undefined) sources.foreign.push(file.path);
      else if (!touched.has(file)) whole.push(...groups);
      else {
        const gone = await goneByGroup(sql, file, groups);
        for (const [at, group] of groups.entries()) {
          const rows = gone[at] ?? 0;
          if (rows === 0) whole.push(group);
          else if (rows < group.rows) sources.decoded.push(group);
        }
      }
    }
    for (const { path } of pieces) whole.push(...(await this.#ownGroups(path)));
    const small = whole.filter(({ rows }) => rows < SMALL_GROUP_ROWS);
    const isDecoded = small.length + sources.decoded.length + sources.foreign.length > 1;
    for (const group of whole) {
      (isDecoded && group.rows < SMALL_GROUP_ROWS ? sources.decoded : sources.copied).push(group);
    }
    return sources;
  }

  /** Undefined where the file's row groups can't stand beside ours. */
  async #groups(path: string): Promise<readonly RowGroup[] | undefined> {
    const footer = await readParquetFooter(path);
    return footer?.schema.equals(this.#like.schema) ? footer.groups : undefined;
  }

  async #ownGroups(path: string): Promise<readonly RowGroup[]> {
    const groups = await this.#groups(path);
    if (groups === undefined) throw new Error(`SQL wrote ${path} with another schema than an empty file's.`);
    return groups;
  }

  /** Reads what must be decoded from one file in scratch, which costs SQL less than parts of many. */
  async #encode(sql: SqlSession, { decoded, foreign }: Sources, losing: readonly SourceFile[]) {
    if (decoded.length + foreign.length === 0) return undefined;
    const gathered = await this.#storage.scratch("parquet");
    if (decoded.length > 0) await writeRowGroups(decoded, this.#like, gathered);
    const read = parquetFiles([...(decoded.length > 0 ? [gathered] : []), ...foreign]);
    const without = `anti join (select link_id, sequence from ${GONE} where file in ${numbersOf(losing)})
      using (link_id, sequence)`;
    const path = await this.#storage.scratch("parquet");
    const query = `select ${COLUMNS} from ${read} ${losing.length === 0 ? "" : without}`;
    const written = await writeFiles(sql, query, sqlText(path), CURRENT_FILE);
    await rm(gathered, { force: true });
    return { path, groups: written.length === 0 ? [] : await this.#ownGroups(path) };
  }
}

/** How many rows of each row group leave their file. */
async function goneByGroup(
  sql: SqlSession,
  file: SourceFile,
  groups: readonly RowGroup[],
): Promise<number[]> {
  let before = 0;
  const lasts = groups.map(({ rows }) => {
    before += rows;
    return before - 1;
  });
  const [{ counts } = {}] = await sql.few(
    `select histogram("row", [${lasts.join(", ")}]) as counts from ${GONE} where file = ${file.id}`,
  );
  const byLast = (counts ?? {}) as Readonly<Record<string, SqlValue>>;
  return lasts.map((last) => Number(byLast[last] ?? 0));
}

/** Row groups of a link side by side, so that where they become several files, few of them hold a link. */
function byFirstLink(a: RowGroup, b: RowGroup): number {
  const [one, other] = [a, b].map((group) => group.bounds.get("link_id")?.min ?? NO_LINK);
  return Buffer.compare(one as Buffer, other as Buffer);
}

const NO_LINK = Buffer.alloc(0);

/** Row groups by file. */
function cut(groups: readonly RowGroup[]): RowGroup[][] {
  const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
  const most = bytes / filesOfShelf(bytes);
  const files: RowGroup[][] = [];
  let before = 0;
  for (const group of groups) {
    const at = Math.floor(before / most);
    files[at] = [...(files[at] ?? []), group];
    before += group.bytes;
  }
  return files.filter((some) => some !== undefined);
}
