import type { ObjectStore } from "../../lake/store/object-store.js";
import { rowsOf, withStoreQuery } from "../lake/query.js";

/** Counts the rows of a batch that have an outcome. Rows run from the file's beginning: no limit goes below this. */
export async function rowsWithOutcomes(store: ObjectStore, batchId: string): Promise<number> {
  const sql = `select count(distinct line) as n from onboardings where batch_id = '${batchId}'`;
  const [row] = await withStoreQuery(store, (query) => rowsOf<{ n: number | bigint }>(query, sql));
  return Number(row?.n ?? 0);
}
