import { assertWritable } from "../../lake/delta/delta-protocol.js";
import { openTable } from "../../lake/delta/delta-table.js";
import { createDuckDb } from "../../lake/sql/duckdb.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { TABLES } from "../../tables.js";

/**
 * Checks that this version may write every table that a job writes to; changes nothing.
 *
 * @throws InputError naming a table that a newer version created, or whose log is damaged.
 */
export async function checkTables(store: ObjectStore): Promise<void> {
  // SQL reads checkpoints; its scratch files must not go into a lake that is only checked.
  const duckdb = createDuckDb({ scratchDirectory: await temporaryScratch() });
  try {
    for (const { name: table } of TABLES) {
      assertWritable(table, await openTable(store, table, duckdb).snapshot());
    }
  } finally {
    await duckdb.close();
  }
}
