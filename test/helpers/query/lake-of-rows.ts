import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLake } from "../../../src/lake/lake.js";
import { openQuery } from "../../../src/lake/query/query.js";
import type { JsonValue } from "../../../src/lake/sql/duckdb-values.js";
import { TABLES } from "../../../src/tables.js";
import { appendRows } from "./append-rows.js";

type TableRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
export type QueryRow = Readonly<Record<string, JsonValue>>;

/** Writes a lake with these rows by table, and staging of runs that nothing works on; opens it for queries and commands. */
export async function lakeOfRows(tables: TableRows, leftRuns: readonly string[] = []) {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-rows-"));
  const lake = openLake({ directory });
  const query = openQuery(lake.store, { scratchDirectory: join(directory, "query"), tables: TABLES });
  for (const [name, rows] of Object.entries(tables)) {
    const spec = TABLES.find((table) => table.name === name)!;
    await appendRows(lake, spec, rows);
  }
  for (const run of leftRuns) await lake.store.put(`_staging/${run}/roster`, "");
  return {
    directory,
    env: { NIGHTLEDGER_LAKE: directory },
    query,
    async rowsOf(sql: string): Promise<QueryRow[]> {
      const rows: QueryRow[] = [];
      for await (const batch of query.query(sql)) rows.push(...batch);
      return rows;
    },
    async release() {
      await query.close();
      await lake.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Gives the rows of one query over a lake with these rows. */
export async function rowsOver(tables: TableRows, sql: string): Promise<QueryRow[]> {
  const lake = await lakeOfRows(tables);
  try {
    return await lake.rowsOf(sql);
  } finally {
    await lake.release();
  }
}
