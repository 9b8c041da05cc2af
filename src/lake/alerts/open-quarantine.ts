import type { Lake } from "../lake.js";
import { readTables } from "../query/query-views.js";
import { quarantine } from "../tables/quarantine.js";
import { transactionChanges } from "../tables/transactions.js";

/** How much is open in a lake's quarantine. */
interface OpenQuarantine {
  readonly rows: number;
}

/** The rows of a lake's quarantine of transactions that no later change of their transaction has replaced. */
export async function openQuarantine(lake: Lake): Promise<OpenQuarantine> {
  return readTables(lake, [quarantine, transactionChanges], async (sql) => {
    const [found] = await sql.rows(`
      select count(*) as rows from quarantine q
      where q.stream = 'transactions' and not exists (
        select 1 from transaction_changes c
        where c.link_id = q.link_id and c.fetched_at > q.fetched_at
          and c.transaction_id = q.payload::json->>'transaction_id')`);
    return { rows: Number(found?.rows ?? 0) };
  });
}
