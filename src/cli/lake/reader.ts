import { type LakeReader, lakeReader } from "../../lake/query/query-views.js";
import { createDuckDb, type DuckDb } from "../../lake/sql/duckdb.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import type { ObjectStore } from "../../lake/store/object-store.js";

/** Enough to read a whole lake. */
export const LAKE_MEMORY_MB = 512;

/**
 * Works with an engine that spills outside of any lake: one that is only read or checked stays as it is. Without a limit
 * it has that of a worker's engine.
 */
export async function withDuckDb<R>(
  work: (duckdb: DuckDb) => Promise<R>,
  limit: { readonly memoryLimitMb?: number } = {},
): Promise<R> {
  const duckdb = createDuckDb({ scratchDirectory: await temporaryScratch(), ...limit });
  try {
    return await work(duckdb);
  } finally {
    await duckdb.close();
  }
}

/** Opens tables of a store for reading and closes them again. */
export function withLakeReader<R>(
  store: ObjectStore,
  work: (lake: LakeReader) => Promise<R>,
  limit: { readonly memoryLimitMb?: number } = { memoryLimitMb: LAKE_MEMORY_MB },
): Promise<R> {
  return withDuckDb((duckdb) => work(lakeReader(store, duckdb)), limit);
}
