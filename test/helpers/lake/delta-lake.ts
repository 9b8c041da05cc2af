import { randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddFile } from "../../../src/lake/delta/delta-actions.js";
import { type Column, creationOf, type TableSpec } from "../../../src/lake/delta/delta-schema.js";
import { statsText } from "../../../src/lake/delta/delta-stats.js";
import type { DeltaTable } from "../../../src/lake/delta/delta-table.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { sqlText } from "../../../src/lake/sql/duckdb-sql.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { TEST_KEYS } from "../temporal/temporal-environment.js";

export const COLUMNS: readonly Column[] = [
  { name: "link_id", type: "VARCHAR" },
  { name: "sequence", type: "BIGINT" },
  { name: "amount", type: "DECIMAL(28,10)" },
  { name: "date", type: "DATE" },
  { name: "at", type: "TIMESTAMPTZ" },
  { name: "pending", type: "BOOLEAN" },
  { name: "generation", type: "INTEGER" },
];

export const FEED: TableSpec = { name: "feed", columns: COLUMNS, feed: true };
export const PLAIN: TableSpec = { name: "plain", columns: COLUMNS };

export type TestLake = Awaited<ReturnType<typeof openTestLake>>;

/** A lake in a new temp directory, with its engine; `release` takes both away. */
export async function openTestLake() {
  const base = await mkdtemp(join(tmpdir(), "nightledger-lake-"));
  const directory = join(base, "lake");
  const duckdb = createDuckDb({ scratchDirectory: join(base, "scratch") });
  const store = createLocalStore(directory);
  return {
    directory,
    store,
    duckdb,
    sealed: new SealedStore(store, createSealer(TEST_KEYS)),
    async release() {
      await duckdb.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Makes a table if it does not exist yet. */
export async function createTable(table: DeltaTable, spec: TableSpec): Promise<void> {
  await table.commit(({ version }) => (version === -1 ? creationOf(spec, Date.now()) : null));
}

/** Uploads a Parquet file with the rows of a SQL `values` list and returns its add action. */
export async function addRows(lake: TestLake, table: string, values: string): Promise<AddFile> {
  const name = `${randomUUID()}.parquet`;
  const local = join(lake.duckdb.scratchDirectory, name);
  const casts = COLUMNS.map((column) => `cast("${column.name}" as ${column.type}) as "${column.name}"`);
  const names = COLUMNS.map((column) => `"${column.name}"`);
  const rows = await lake.duckdb.exclusive((sql) =>
    sql.run(
      `copy (select ${casts.join(", ")} from (values ${values}) as v(${names.join(", ")}))
       to ${sqlText(local)} (format parquet, compression zstd)`,
    ),
  );
  const { size } = await stat(local);
  await lake.store.uploadAll([{ localPath: local, key: `${table}/${name}` }]);
  return {
    path: name,
    partitionValues: {},
    size,
    modificationTime: Date.now(),
    dataChange: true,
    stats: statsText(rows),
  };
}

/** Puts a file of one byte into a table, which no test reads, and gives its add action. */
export async function storedAdd({ store }: TestLake, table: string, path: string): Promise<AddFile> {
  await store.put(`${table}/${path}`, "x");
  return fakeAdd(path);
}

/** An add action for a file that is not there. */
export function fakeAdd(path: string): AddFile {
  return { path, partitionValues: {}, size: 1, modificationTime: 1, dataChange: true, stats: statsText(1) };
}
