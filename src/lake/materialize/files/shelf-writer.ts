import { rm } from "node:fs/promises";
import { type ParquetFooter, type RowGroup, readParquetFooter } from "../../parquet/parquet-footer.js";
import { writeRowGroups } from "../../parquet/row-groups.js";
import { parquetFiles, parquetRows } from "../../sql/duckdb-files.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlText, typedColumns } from "../../sql/duckdb-sql.js";
import type { SqlValue } from "../../sql/duckdb-values.js";
import { CURRENT_FILE, type WrittenFile, writeFiles } from "../../tables/parquet-file.js";
import { transactions } from "../../tables/transactions.js";
import { GONE } from "../changed-keys.js";
import { numbersOf, type SourceFile } from "../sources.js";
import type { FileStorage, Piece } from "./pieces.js";
import { filesOfShelf, type Shelf, SMALL_GROUP_ROWS } from "./shelf-plan.js";

/** The columns of `transactions`; files of other tools may have other types for the same values. */
const columns = () => typedColumns(transactions.columns);

export class ShelfWriter {
  constructor(
    private readonly storage: FileStorage,
    /** The footer of an empty file of the table; everything that is copied must agree with it. */
    private readonly like: ParquetFooter,
  ) {}

  /** Writes a shelf: most row groups are copied as they are, the others decoded and written again. */
  async write(sql: SqlSession, shelf: Shelf, touched: ReadonlySet<SourceFile>, pieces: readonly Piece[]) {
    const losing = shelf.files.filter((file) => touched.has(file));
    // No row comes or goes: only the files differ.
    const same = losing.length === 0 && pieces.length === 0;
    if (same && shelf.files.length < 2) return { same, replaced: [], files: [] };
    const plan = await this.#plan(sql, shelf, touched, pieces);
    const encoded = await this.#encode(sql, plan, losing);
    const files: WrittenFile[] = [];
    for (const groups of groupsByFile([...plan.copied, ...(encoded?.groups ?? [])])) {
      files.push(await writeRowGroups(groups, this.like, await this.storage.scratch("parquet")));
    }
    for (const { path } of pieces) await rm(path, { force: true });
    if (encoded !== undefined) await rm(encoded.path, { force: true });
    return { same, replaced: shelf.files, files };
  }

  async #plan(
    sql: SqlSession,
    shelf: Shelf,
    touched: ReadonlySet<SourceFile>,
    pieces: readonly Piece[],
  ): Promise<RowGroupPlan> {
    const files: Parameters<typeof planRowGroups>[0][number][] = [];
    for (const file of shelf.files) {
      const groups = await this.#groups(file.path);
      const gone = groups && touched.has(file) ? await goneByGroup(sql, file, groups) : [];
      files.push({ path: file.path, groups, gone });
    }
    for (const { path } of pieces) files.push({ path, groups: await this.#ownGroups(path), gone: [] });
    return planRowGroups(files);
  }

  /** Reads a file's row groups; undefined if they can't be mixed with ours. */
  async #groups(path: string): Promise<readonly RowGroup[] | undefined> {
    const footer = await readParquetFooter(path);
    return footer?.schema.equals(this.like.schema) ? footer.groups : undefined;
  }

  async #ownGroups(path: string): Promise<readonly RowGroup[]> {
    const groups = await this.#groups(path);
    if (groups === undefined) throw new Error(`SQL wrote ${path} with another schema than an empty file's.`);
    return groups;
  }

  /** Writes again what must be decoded. It gathers the row groups in one scratch file, which SQL reads faster than parts of many. */
  async #encode(sql: SqlSession, { decoded, foreign }: RowGroupPlan, losing: readonly SourceFile[]) {
    if (decoded.length + foreign.length === 0) return undefined;
    const gathered = await this.storage.scratch("parquet");
    if (decoded.length > 0) await writeRowGroups(decoded, this.like, gathered);
    const sources = [
      ...(decoded.length > 0 ? [parquetFiles([gathered])] : []),
      ...(foreign.length > 0 ? [parquetRows(foreign, transactions.columns)] : []),
    ];
    const rows = sources.map((source) => `select ${columns()} from ${source}`).join(" union all ");
    const without = `anti join (select link_id, sequence from ${GONE} where file in ${numbersOf(losing)})
      using (link_id, sequence)`;
    const path = await this.storage.scratch("parquet");
    const query = `from (${rows}) ${losing.length === 0 ? "" : without}`;
    const written = await writeFiles(sql, query, sqlText(path), CURRENT_FILE);
    await rm(gathered, { force: true });
    return { path, groups: written.length === 0 ? [] : await this.#ownGroups(path) };
  }
}

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

interface GroupedFile {
  readonly path: string;
  /** Undefined for a file of another tool or with fewer columns, whose row groups can't be mixed with ours. */
  readonly groups: readonly RowGroup[] | undefined;
  /** How many rows of each group leave the table; empty if none do. */
  readonly gone: readonly number[];
}

interface RowGroupPlan {
  readonly copied: readonly RowGroup[];
  /** Decoded by SQL and written again as one stream. */
  readonly decoded: readonly RowGroup[];
  /** Files that SQL must decode completely. */
  readonly foreign: readonly string[];
}

/** Decides which row groups are copied, and which decoded: those that lose rows, and small ones that can be merged. Pure. */
export function planRowGroups(files: readonly GroupedFile[]): RowGroupPlan {
  const foreign = files.flatMap(({ path, groups }) => (groups === undefined ? [path] : []));
  const groups = files.flatMap(({ groups = [], gone }) =>
    groups.map((group, at) => ({ group, lost: gone[at] ?? 0 })),
  );
  const whole = groups.flatMap(({ group, lost }) => (lost === 0 ? [group] : []));
  const reduced = groups.flatMap(({ group, lost }) => (lost > 0 && lost < group.rows ? [group] : []));
  const small = whole.filter(isSmall);
  if (small.length + reduced.length + foreign.length < 2) return { copied: whole, decoded: reduced, foreign };
  return { copied: whole.filter((group) => !isSmall(group)), decoded: [...reduced, ...small], foreign };
}

function isSmall({ rows }: RowGroup): boolean {
  return rows < SMALL_GROUP_ROWS;
}

/** Splits row groups into files of like size. Each link's groups stay together, so few files hold the same link. Pure. */
export function groupsByFile(groups: readonly RowGroup[]): RowGroup[][] {
  const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
  const most = bytes / filesOfShelf(bytes);
  const files: RowGroup[][] = [];
  let before = 0;
  for (const group of [...groups].sort((a, b) => Buffer.compare(firstLink(a), firstLink(b)))) {
    const at = Math.floor(before / most);
    files[at] = [...(files[at] ?? []), group];
    before += group.bytes;
  }
  return files.filter((some) => some !== undefined);
}

function firstLink({ bounds }: RowGroup): Buffer {
  return bounds.get("link_id")?.min ?? Buffer.alloc(0);
}
