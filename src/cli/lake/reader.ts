import { type LakeReader, lakeReader } from "../../lake/query/query-views.js";
import { createDuckDb, type DuckDb } from "../../lake/sql/duckdb.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import type { ObjectStore } from "../../lake/store/object-store.js";

/** For a whole lake. */
export const LAKE_MEMORY_MB = 512;

/** An engine that spills outside any lake, by default with a worker's limit. */
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

export function withLakeReader<R>(
  store: ObjectStore,
  work: (lake: LakeReader) => Promise<R>,
  limit: { readonly memoryLimitMb?: number } = { memoryLimitMb: LAKE_MEMORY_MB },
): Promise<R> {
  return withDuckDb((duckdb) => work(lakeReader(store, duckdb)), limit);
}
