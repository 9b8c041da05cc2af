import { type DeltaTable, openTable } from "../../lake/delta/delta-table.js";
import type { LakeReader } from "../../lake/query/query-views.js";
import { createDuckDb } from "../../lake/sql/duckdb.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import type { ObjectStore } from "../../lake/store/object-store.js";

const MEMORY_MB = 512;

/** Opens tables of a store for reading and closes them again. It writes nothing to the store, not even what SQL spills. */
export async function withLakeReader<R>(
  store: ObjectStore,
  work: (lake: LakeReader) => Promise<R>,
): Promise<R> {
  const duckdb = createDuckDb({ scratchDirectory: await temporaryScratch(), memoryLimitMb: MEMORY_MB });
  const tables = new Map<string, DeltaTable>();
  const table = (name: string) => {
    const found = tables.get(name) ?? openTable(store, name, duckdb);
    tables.set(name, found);
    return found;
  };
  try {
    return await work({ store, duckdb, table });
  } finally {
    await duckdb.close();
  }
}
