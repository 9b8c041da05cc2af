import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { type JsonValue, jsonValue } from "../../../src/lake/sql/duckdb-values.js";

/** The rows of a query over any files, as JSON values: `nightledger query` reads live files of tables only. */
export async function rowsOfFiles(sql: string): Promise<Readonly<Record<string, JsonValue>>[]> {
  const scratchDirectory = await mkdtemp(join(tmpdir(), "nightledger-files-"));
  const duckdb = createDuckDb({ scratchDirectory });
  try {
    const rows = await duckdb.exclusive((session) => session.rows(sql));
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonValue(value)])),
    );
  } finally {
    await duckdb.close();
    await rm(scratchDirectory, { recursive: true, force: true });
  }
}
