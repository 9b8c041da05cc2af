import type { Sealer } from "../../domain/sealer.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { temporaryScratch } from "../sql/scratch.js";
import type { ObjectStore } from "../store/object-store.js";
import { type LakeQuery, openQuery } from "./query.js";

/** Opens tables for reading and closes them; each query reads all logs. */
export async function withStoreQuery<R>(
  store: ObjectStore,
  work: (lake: LakeQuery) => Promise<R>,
  { sealer, tables }: { readonly sealer?: Sealer; readonly tables: readonly TableSpec[] },
): Promise<R> {
  // Read-only lakes can be read.
  const scratchDirectory = await temporaryScratch();
  const query = openQuery(store, { scratchDirectory, tables, ...(sealer && { sealer }) });
  try {
    return await work(query);
  } finally {
    await query.close();
  }
}

/** All rows of a statement. */
export async function rowsOf<Row>(query: LakeQuery, sql: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of query.query(sql)) rows.push(...(batch as Row[]));
  return rows;
}
