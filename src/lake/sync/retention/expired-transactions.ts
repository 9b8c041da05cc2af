import { join } from "node:path";
import type { RecordClass } from "../../../domain/tables/retention.js";
import type { Lake } from "../../lake.js";
import { bringUpLinks } from "../../lineage/bring-up-links.js";
import { readTable, readTables } from "../../query/query-views.js";
import { parquetFiles } from "../../sql/duckdb-files.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { appendDecided } from "../../tables/append.js";
import { cipReports } from "../../tables/cip.js";
import { holds, purges } from "../../tables/erasures.js";
import { writeStored } from "../../tables/parquet-file.js";
import { transactionLinks } from "../../tables/transaction-links.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { HELD } from "../forget/holds.js";
import { hashRows } from "../rows-hash.js";
import type { Due, Expired } from "./expired-reports.js";

/**
 * Finds the transactions whose last day is over: all changes of one go together, by the last day that any of them gives, or by
 * the removal of one without a day. Certificates keep what they say; `purges` proves the rest of their rows.
 */
export async function expiredTransactions(
  lake: Lake,
  { until: { transactions: until }, directory }: Due,
): Promise<{ readonly [record in RecordClass]?: Expired }> {
  if (until === undefined) return {};
  const file = join(directory, "transactions.parquet");
  const end = `${sqlText(until)}::date`;
  await readTables(lake, [transactionChanges, cipReports, holds], async (sql) => {
    const [old] = await sql.few(`select 1 from transaction_changes where date <= ${end} limit 1`);
    const keys = `select link_id, transaction_id from transaction_changes
      where ${old === undefined ? "false" : `fp_id not in (${HELD})`} group by all
      having coalesce(max(date), max(fetched_at)::date) <= ${end}`;
    await sql.run(`copy (
      select distinct link_id, transaction_id, run_id from transaction_changes semi join (${keys})
        using (link_id, transaction_id)
    ) to ${sqlText(file)} (format parquet)`);
  });
  const expired = parquetFiles([file]);
  const within = (columns: string) => `(${columns}) in (select (${columns}) from ${expired})`;
  const rows = within("link_id, transaction_id, run_id");
  const id = `(select (link_id, transaction_id) from ${expired})`;
  const pairs = ["pending_transaction_id", "posted_transaction_id"].map(
    (one) => `(link_id, ${one}) in ${id}`,
  );
  const isAny = await lake.duckdb.exclusive((sql) => sql.few(`select 1 from ${expired} limit 1`));
  const after = async () => void (await bringUpLinks(lake, { prefix: "retention" }));
  // A call that was killed after the feed had lost its rows has left the pairs to this one.
  if (isAny.length === 0) return { transactions: { erasing: [], after } };
  return {
    transactions: {
      before: () => keepProofs(lake, `${within("link_id, run_id")} and not ${rows}`, expired),
      // The feed is last: from it the others are known, if this is cut short.
      erasing: [
        { spec: transactionLinks, condition: pairs.join(" or "), also: unbuilt },
        { spec: transactions, condition: rows },
        { spec: transactionChanges, condition: rows },
      ],
      after: async () => {
        await lake.table(transactionLinks.name).commit(unbuilt);
        await after();
      },
    },
  };
}

/** Has `transaction_links` decided again over the whole feed. */
function unbuilt() {
  return [{ txn: { appId: transactionChanges.name, version: -1 } }];
}

/** Writes what is left of the rows of each certificate that loses some. */
async function keepProofs(lake: Lake, left: string, expired: string): Promise<void> {
  await appendDecided(lake, purges, async () => {
    const location = { store: lake.store, table: transactionChanges.name, duckdb: lake.duckdb };
    const feed = await readTable(location);
    const recorded = sqlText(new Date().toISOString());
    const file = await writeStored(lake, purges, "purge", async (sql) => {
      await hashRows(sql, feed, left);
      return `select link_id, run_id, coalesce(rows, 0)::bigint as rows, rows_sha256, 'transactions' as rule,
          ${recorded}::timestamptz as recorded_at
        from (select distinct link_id, run_id from ${expired})
          left join (select link_id, run_id, sum(rows) as rows from hashed_parts group by all) using (link_id, run_id)
          left join hashed using (link_id, run_id) order by link_id, run_id`;
    });
    return { files: file === undefined ? [] : [file], result: undefined };
  });
}
