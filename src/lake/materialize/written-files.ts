import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { statsText } from "../delta-stats.js";
import type { SqlSession } from "../duckdb-session.js";
import { sqlList } from "../duckdb-sql.js";
import type { Lake } from "../lake.js";
import { type DataFile, storeFile } from "../parquet-file.js";
import { transactions } from "../tables/transactions.js";

/** Each one waits for the disk most of its time. */
const STORED_AT_ONCE = 8;

/** A Parquet file in scratch, with what the log will say of it. */
export interface WrittenFile {
  readonly path: string;
  readonly rows: number;
  readonly stats: string;
}

/** The files below a directory with their row counts and statistics, all read back in one query. */
export async function writtenFiles(sql: SqlSession, directory: string): Promise<WrittenFile[]> {
  const names = await readdir(directory, { recursive: true });
  const paths = names.filter((name) => name.endsWith(".parquet")).map((name) => join(directory, name));
  if (paths.length === 0) return [];
  const bounds = ["link_id", `"date"::varchar`, "sequence"]
    .map(
      (value, at) =>
        `min(${value}) as low${at}, max(${value}) as high${at}, count(*) - count(${value}) as null${at}`,
    )
    .join(", ");
  const found = await sql.rows(`select filename, count(*) as n, ${bounds}
    from read_parquet(${sqlList(paths)}, filename = true, hive_partitioning = false) group by filename`);
  return found.map((row) => {
    const column = (at: number) => ({
      min: row[`low${at}`] as string | bigint | null,
      max: row[`high${at}`] as string | bigint | null,
      nullCount: row[`null${at}`] as bigint,
    });
    const rows = Number(row.n);
    const stats = statsText(rows, { link_id: column(0), date: column(1), sequence: column(2) });
    return { path: String(row.filename), rows, stats };
  });
}

/** Stores files in the table as a batch is done, while SQL goes on with the next. */
export class FileStorage {
  readonly #lake: Lake;
  readonly #prefix: string;
  readonly #stored: DataFile[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(lake: Lake, prefix: string) {
    this.#lake = lake;
    this.#prefix = prefix;
  }

  /** Waits for the files before, so that no more than two batches lie in scratch, then stores these. */
  async store(files: readonly WrittenFile[], directory: string): Promise<void> {
    await this.#last;
    this.#last = this.#storeAll(files).finally(() => rm(directory, { force: true, recursive: true }));
    // Whoever waits next gets the failure; until then it must not count as unhandled.
    this.#last.catch(() => undefined);
  }

  /** All files, once they are durable. */
  async finished(): Promise<readonly DataFile[]> {
    await this.#last;
    return this.#stored;
  }

  /** Takes all stored files away again: no commit refers to them. */
  async discard(): Promise<void> {
    await this.#last.catch(() => undefined);
    await Promise.all(
      this.#stored.map(({ path }) => this.#lake.store.delete(`${transactions.name}/${path}`)),
    );
  }

  async #storeAll(files: readonly WrittenFile[]): Promise<void> {
    const queue = [...files];
    const lane = async () => {
      for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
        this.#stored.push(await storeFile(this.#lake, transactions, this.#prefix, file.path, file));
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: STORED_AT_ONCE }, lane));
    for (const outcome of lanes) if (outcome.status === "rejected") throw outcome.reason;
  }
}
