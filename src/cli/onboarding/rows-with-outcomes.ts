import type { ObjectStore } from "../../lake/store/object-store.js";
import { rowsOf, withStoreQuery } from "../lake/query.js";

/** Counts the rows at the beginning of a batch's file up to the last with an outcome: no limit goes below it. */
export async function rowsWithOutcomes(store: ObjectStore, batchId: string): Promise<number> {
  const sql = `select count(distinct line) as n from onboardings where batch_id = '${batchId}'`;
  const [row] = await withStoreQuery(store, (query) => rowsOf<{ n: number | bigint }>(query, sql));
  return Number(row?.n ?? 0);
}
