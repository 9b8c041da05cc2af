import type { ObjectStore } from "../../lake/store/object-store.js";
import { rowsOf, withStoreQuery } from "../lake/query.js";

/** Rows of a batch's file, from its beginning, that have an outcome: no limit goes below it. */
export async function rowsWithOutcomes(store: ObjectStore, batchId: string): Promise<number> {
  const sql = `select count(distinct line) as n from onboardings where batch_id = '${batchId}'`;
  const [row] = await withStoreQuery(store, (query) => rowsOf<{ n: number | bigint }>(query, sql));
  return Number(row?.n ?? 0);
}
