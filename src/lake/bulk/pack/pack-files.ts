import { createHash, randomUUID } from "node:crypto";
import { appendFile, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { csvLine } from "../../csv-line.js";
import type { Column } from "../../delta/delta-schema.js";
import type { DuckDb } from "../../sql/duckdb.js";
import { jsonRows, withoutHalfPairs } from "../../sql/duckdb-files.js";
import type { SqlRow, SqlSession } from "../../sql/duckdb-session.js";
import { sqlNames, sqlText } from "../../sql/duckdb-sql.js";
import { unpublished } from "../../store/local/local-store-errors.js";
import { fileSha256 } from "../../store/local/local-store-files.js";
import { APPENDED_FILE, writeFiles } from "../../tables/parquet-file.js";

const BUFFERED_CHARS = 256 * 1024;

class BufferedText {
  #waiting: string[] = [];
  #chars = 0;

  constructor(private readonly sink: (piece: Buffer) => Promise<void>) {}

  async write(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#chars += text.length;
    if (this.#chars >= BUFFERED_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    const piece = Buffer.from(this.#waiting.join(""), "utf8");
    this.#waiting = [];
    this.#chars = 0;
    await this.sink(piece);
  }
}

export interface PackFile {
  /** Relative to the pack, "/"-separated. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Without the header; null for other files. */
  readonly rows: number | null;
}

/** The lake's group may read them. */
const FILE_MODE = 0o640;
const DIRECTORY_MODE = 0o750;

/** A path inside the pack that `sha256sum` writes as it is. */
export function isPackPath(path: string): boolean {
  return !/(^|\/)\.{0,2}(\/|$)|[\0\\\n\r]/.test(path);
}

export class PackFiles {
  readonly #files: PackFile[] = [];

  /** @param directory empty, and nobody else's */
  constructor(readonly directory: string) {}

  get files(): readonly PackFile[] {
    return [...this.#files].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** `write` returns how many rows it wrote, if the file has any. */
  async write(
    path: string,
    write: (out: (text: string) => Promise<void>) => Promise<number | undefined>,
  ): Promise<PackFile> {
    const handle = await open(await this.place(path), "wx", FILE_MODE);
    const hash = createHash("sha256");
    let bytes = 0;
    const text = new BufferedText(async (piece) => {
      hash.update(piece);
      bytes += piece.length;
      await handle.writeFile(piece);
    });
    try {
      const rows = (await write((piece) => text.write(piece))) ?? null;
      await text.flush();
      return this.#keep({ path, sha256: hash.digest("hex"), bytes, rows });
    } catch (error) {
      throw unpublished(error, join(this.directory, path));
    } finally {
      await handle.close();
    }
  }

  /** Adds a file written to its {@link place}. */
  async add(path: string, rows: number | null): Promise<PackFile> {
    const local = join(this.directory, path);
    const { size } = await stat(local);
    return this.#keep({ path, sha256: await fileSha256(local), bytes: size, rows });
  }

  async place(path: string): Promise<string> {
    if (!isPackPath(path)) throw new Error(`${JSON.stringify(path)} is not the path of a file of a pack`);
    const local = join(this.directory, path);
    await mkdir(dirname(local), { recursive: true, mode: DIRECTORY_MODE });
    return local;
  }

  #keep(file: PackFile): PackFile {
    this.#files.push(file);
    return file;
  }
}

/** Columns, and those to sort by. */
interface SpoolForm {
  readonly columns: readonly Column[];
  readonly order?: readonly string[];
}

/** The same rows give the same bytes. */
const THREADS = 1;

/** Rows on their way into a sorted file, on the disk. */
export class RowSpool<Row = SqlRow> {
  readonly #path: string;
  readonly #text: BufferedText;
  #largest = 0;

  constructor(
    private readonly duckdb: DuckDb,
    private readonly form: SpoolForm,
  ) {
    this.#path = join(duckdb.scratchDirectory, `${randomUUID()}.jsonl`);
    this.#text = new BufferedText(async (piece) => {
      await duckdb.makeScratch();
      await appendFile(this.#path, piece, { mode: 0o600 });
    });
  }

  /** JSON values; instants as text. */
  async add(rows: readonly object[]): Promise<void> {
    const lines = rows.map((row) => `${JSON.stringify(row, withoutHalfPairs)}\n`);
    for (const line of lines) this.#largest = Math.max(this.#largest, Buffer.byteLength(line));
    await this.#text.write(lines.join(""));
  }

  /** Returns the number of rows. */
  async writeParquet(path: string): Promise<number> {
    const query = await this.#query();
    return this.#inOrder(async (sql) => {
      const [written] = await writeFiles(sql, query, sqlText(path), APPENDED_FILE);
      return written?.rows ?? 0;
    });
  }

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
    await rm(this.#path, { force: true });
  }

  /** Rows that SQL does not sort stay in their order. */
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
    await this.#text.flush();
    const { columns, order } = this.form;
    const rows = jsonRows(this.#path, columns, this.#largest);
    return order === undefined ? rows : `select * from (${rows}) order by ${sqlNames(order)}`;
  }
}
