import { randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Column } from "../../delta/delta-schema.js";
import type { DuckDb } from "../../sql/duckdb.js";
import { jsonFile } from "../../sql/duckdb-files.js";
import type { SqlRow, SqlSession } from "../../sql/duckdb-session.js";
import { sqlName, sqlText } from "../../sql/duckdb-sql.js";
import { objectSize } from "../../tables/parquet-file.js";
import { APPENDED_FILE, writeFiles } from "../../tables/written-files.js";

/** What a spool's rows look like, and the columns that they are sorted by; undefined where they come in their order. */
interface SpoolForm {
  readonly columns: readonly Column[];
  readonly order?: readonly string[];
}

const BUFFERED_CHARS = 256 * 1024;
/** One thread: the same rows give the same bytes. */
const THREADS = 1;

/** Rows on their way into a sorted file, kept on the disk: there may be more than fit into memory. */
export class RowSpool {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #waiting: string[] = [];
  #chars = 0;
  #largest = 0;

  constructor(
    private readonly duckdb: DuckDb,
    private readonly form: SpoolForm,
  ) {
    this.#path = join(duckdb.scratchDirectory, `${randomUUID()}.jsonl`);
  }

  /** Takes rows of JSON values; instants as text. */
  async add(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    for (const row of rows) {
      const line = `${JSON.stringify(row, readable)}\n`;
      this.#waiting.push(line);
      this.#chars += line.length;
      this.#largest = Math.max(this.#largest, Buffer.byteLength(line));
    }
    if (this.#chars >= BUFFERED_CHARS) await this.#flush();
  }

  /** Writes the rows as one Parquet file; how many there are. */
  async writeParquet(path: string): Promise<number> {
    const query = await this.#query();
    return this.#inOrder(async (sql) => {
      const [written] = await writeFiles(sql, query, sqlText(path), APPENDED_FILE);
      return written?.rows ?? 0;
    });
  }

  /** Gives the rows in batches. */
  async read(each: (rows: readonly SqlRow[]) => Promise<void>): Promise<void> {
    const query = await this.#query();
    await this.#inOrder(async (sql) => {
      for await (const rows of sql.stream(query)) await each(rows);
    });
  }

  /** Deletes the rows. */
  async release(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    await rm(this.#path, { force: true });
  }

  /** Keeps rows that are not sorted by SQL in the order in which they came; otherwise loads need none. */
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
    await this.#flush();
    const { columns, order } = this.form;
    const values = columns.map(({ name, type }) => `${sqlName(name)}::${type} as ${sqlName(name)}`);
    const texts = jsonFile(this.#path, {
      lines: true,
      columns: Object.fromEntries(columns.map(({ name }) => [name, "VARCHAR"])),
      maximumObjectSize: objectSize([this.#largest]),
    });
    const rows = `select ${values.join(", ")} from ${texts}`;
    return order === undefined ? rows : `select * from (${rows}) order by ${order.map(sqlName).join(", ")}`;
  }

  async #flush(): Promise<void> {
    if (this.#handle === undefined) {
      await this.duckdb.makeScratch();
      this.#handle = await open(this.#path, "wx", 0o600);
    }
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#chars = 0;
    await this.#handle.writeFile(text);
  }
}

/** DuckDB refuses a file with half a surrogate pair. */
function readable(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(/\p{Surrogate}/gu, "\ufffd") : value;
}
