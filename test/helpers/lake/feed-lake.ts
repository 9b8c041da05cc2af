import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type AddFile, removeOf } from "../../../src/lake/delta/delta-actions.js";
import { schemaActions } from "../../../src/lake/delta/delta-schema.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { parquetFiles } from "../../../src/lake/sql/duckdb-files.js";
import { addOf, writeQuery, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { transactionChanges, transactions } from "../../../src/lake/tables/transactions.js";

/** One row of the feed, with what a test does not care about left out. */
export interface Change {
  readonly link?: string;
  readonly id: string;
  readonly sequence: number;
  readonly type?: "created" | "updated" | "removed";
  readonly amount?: string;
  readonly date?: string;
  readonly run?: string;
  readonly pending?: boolean;
  readonly account?: string;
  readonly generation?: number;
  readonly inferred?: boolean;
  readonly fetchedAt?: string;
}

/** A lake with a feed written by hand. */
export class FeedLake {
  readonly directory: string;
  readonly lake: Lake;

  constructor(directory: string) {
    this.directory = directory;
    this.lake = openLake({ directory });
  }

  static async open(): Promise<FeedLake> {
    return FeedLake.openAt(await mkdtemp(join(tmpdir(), "nightledger-materialize-")));
  }

  static async openAt(directory: string): Promise<FeedLake> {
    return new FeedLake(directory);
  }

  /** A copy in a new directory of what `copy` puts there, such as a backup. */
  static async copied(copy: (directory: string) => Promise<void>): Promise<FeedLake> {
    const directory = await mkdtemp(join(tmpdir(), "nightledger-restored-"));
    await copy(directory);
    return new FeedLake(directory);
  }

  /** Copies a table as a backup does: its log first, and then its files. */
  async backUp(table: string, to: string): Promise<void> {
    for (const part of ["_delta_log", ""]) {
      const from = join(this.directory, table, part);
      await cp(from, join(to, table, part), { recursive: true, force: false });
    }
  }

  async release(): Promise<void> {
    await this.lake.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** One version of the feed; no changes at all make one that moves cursors only. */
  async feed(...changes: Change[]): Promise<void> {
    const files = await writeRows(this.lake, transactionChanges, "feed", changes.map(feedRow));
    await this.lake
      .table("transaction_changes")
      .commit((snapshot) => [
        ...schemaActions(transactionChanges, snapshot, 1),
        ...files.map((file) => ({ add: addOf(file) })),
        { domainMetadata: { domain: "link/a", configuration: String(snapshot.version), removed: false } },
      ]);
  }

  /** The live files of `transactions`. */
  async live(): Promise<AddFile[]> {
    return [...(await this.lake.table("transactions").snapshot()).files.values()];
  }

  /** The rows of `transactions` as `link/id amount date`. */
  async rows(): Promise<string[]> {
    const paths = (await this.live()).map(({ path }) => join(this.directory, "transactions", path));
    if (paths.length === 0) return [];
    const found = await this.lake.duckdb.exclusive((sql) =>
      sql.rows(`select link_id || '/' || transaction_id as key, amount, "date"::varchar as day
        from ${parquetFiles(paths)} order by link_id, transaction_id`),
    );
    return found.map(({ key, amount, day }) => `${key} ${String(amount).replace(/\.?0*$/, "")} ${day}`);
  }

  /** Replaces all files by one with the same rows, as another tool's compaction does. */
  async compact(): Promise<AddFile> {
    const files = await this.live();
    const paths = files.map(({ path }) => join(this.directory, "transactions", path));
    const [file] = await writeQuery(this.lake, transactions, "part", `from ${parquetFiles(paths)}`);
    const add = addOf(file!, false);
    await this.lake
      .table("transactions")
      .commit(() => [
        ...files.map((old) => ({ remove: { ...removeOf(old, 1), dataChange: false } })),
        { add },
      ]);
    return add;
  }

  /** Data files that no version refers to. */
  async unreferenced(): Promise<string[]> {
    const { files, tombstones } = await this.lake.table("transactions").snapshot();
    // A store without the table lists nothing.
    const names = (await this.lake.store.list("transactions/")).map(({ key }) => basename(key));
    return names.filter((name) => name.endsWith(".parquet") && !files.has(name) && !tombstones.has(name));
  }
}

function feedRow({ link = "a", id, sequence, type = "created", run = "r", ...values }: Change) {
  const { generation = 1, inferred = false, fetchedAt } = values;
  const key = { link_id: link, fp_id: `fp_${link}`, transaction_id: id, change_type: type, sequence };
  const origin = {
    ...{ ...key, generation, inferred, run_id: run },
    ...(fetchedAt !== undefined && { fetched_at: fetchedAt }),
  };
  if (type === "removed") return origin;
  const { amount = "1", date = "2026-05-05", pending = false, account = "acc" } = values;
  return {
    ...{ ...origin, amount, signed_amount: amount, date, currency: "CZK", type: "debit", pending },
    account_id: account,
  };
}
