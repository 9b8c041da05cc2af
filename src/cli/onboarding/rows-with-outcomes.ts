import type { ObjectStore } from "../../lake/store/object-store.js";
import { withStoreQuery } from "../lake/query.js";

/** Rows of a batch's file, from its beginning, that have an outcome: its limits never fall below that. */
export async function rowsWithOutcomes(store: ObjectStore, batchId: string): Promise<number> {
  return withStoreQuery(store, async (query) => {
    const sql = `select count(distinct line) as n from onboardings where batch_id = '${batchId}'`;
    for await (const [row] of query.query(sql)) return Number(row?.n ?? 0);
    return 0;
  });
}
