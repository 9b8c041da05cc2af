import { randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { csvLine } from "../../csv-line.js";
import type { Column } from "../../delta/delta-schema.js";
import type { DuckDb } from "../../sql/duckdb.js";
import { jsonRows } from "../../sql/duckdb-files.js";
import type { SqlRow, SqlSession } from "../../sql/duckdb-session.js";
import { sqlNames, sqlText } from "../../sql/duckdb-sql.js";
import { withoutHalfPairs } from "../../sql/json-lines.js";
import { APPENDED_FILE, writeFiles } from "../../tables/written-files.js";
import { BufferedText, type PackFiles } from "./pack-files.js";

/** The columns of a spool's rows, and those that they are sorted by; without an order they stay as they come. */
interface SpoolForm {
  readonly columns: readonly Column[];
  readonly order?: readonly string[];
}

/** One thread: the same rows give the same bytes. */
const THREADS = 1;

/** Rows on their way into a sorted file, kept on the disk: there may be more than fit into memory. */
export class RowSpool<Row = SqlRow> {
  readonly #path: string;
  #open: { readonly handle: FileHandle; readonly text: BufferedText } | undefined;
  #largest = 0;

  constructor(
    private readonly duckdb: DuckDb,
    private readonly form: SpoolForm,
  ) {
    this.#path = join(duckdb.scratchDirectory, `${randomUUID()}.jsonl`);
  }

  /** Takes rows of JSON values; instants as text. */
  async add(rows: readonly object[]): Promise<void> {
    const lines = rows.map((row) => `${JSON.stringify(row, withoutHalfPairs)}\n`);
    for (const line of lines) this.#largest = Math.max(this.#largest, Buffer.byteLength(line));
    await (await this.#text()).write(lines.join(""));
  }

  /** Writes the rows as one Parquet file; how many there are. */
  async writeParquet(path: string): Promise<number> {
    const query = await this.#query();
    return this.#inOrder(async (sql) => {
      const [written] = await writeFiles(sql, query, sqlText(path), APPENDED_FILE);
      return written?.rows ?? 0;
    });
  }

  /** Writes columns of the rows as a CSV file of a pack, below `first`. */
  async writeCsv(
    files: PackFiles,
    path: string,
    names: readonly (keyof Row & string)[],
    first: readonly Partial<Row>[] = [],
  ): Promise<void> {
    const linesOf = (rows: readonly Partial<Row>[]) =>
      rows.map((row) => csvLine(names.map((name) => (row[name] ?? null) as string | null))).join("");
    await files.write(path, async (out) => {
      await out(csvLine(names) + linesOf(first));
      let count = first.length;
      await this.read(async (rows) => {
        count += rows.length;
        await out(linesOf(rows));
      });
      return count;
    });
  }

  async read(each: (rows: readonly Row[]) => Promise<void>): Promise<void> {
    const query = await this.#query();
    await this.#inOrder(async (sql) => {
      for await (const rows of sql.stream(query)) await each(rows as readonly unknown[] as readonly Row[]);
    });
  }

  async release(): Promise<void> {
    await this.#open?.handle.close();
    this.#open = undefined;
    await rm(this.#path, { force: true });
  }

  /** Keeps rows that SQL does not sort in the order in which they came; loads elsewhere need none. */
  async #inOrder<T>(work: (sql: SqlSession) => Promise<T>): Promise<T> {
    return this.duckdb.exclusive(async (sql) => {
      await sql.run("set preserve_insertion_order = true");
      try {
        return await work(sql);
      } finally {
        await sql.run("set preserve_insertion_order = false");
      }
    }, THREADS);
  }

  async #query(): Promise<string> {
    await (await this.#text()).flush();
    const { columns, order } = this.form;
    const rows = jsonRows(this.#path, columns, this.#largest);
    return order === undefined ? rows : `select * from (${rows}) order by ${sqlNames(order)}`;
  }

  async #text(): Promise<BufferedText> {
    if (this.#open === undefined) {
      await this.duckdb.makeScratch();
      const handle = await open(this.#path, "wx", 0o600);
      this.#open = { handle, text: new BufferedText(handle) };
    }
    return this.#open.text;
  }
}
