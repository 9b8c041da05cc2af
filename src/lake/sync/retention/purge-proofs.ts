import { counted } from "../../../domain/words/counted.js";
import type { Lake } from "../../lake.js";
import { readTable, readTables } from "../../query/query-views.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { appendDecided } from "../../tables/append.js";
import { purges } from "../../tables/erasures.js";
import { linkSyncs } from "../../tables/link-syncs.js";
import { writeStored } from "../../tables/parquet-file.js";
import { runs } from "../../tables/runs.js";
import { transactionChanges } from "../../tables/transactions.js";
import { hashRows } from "../rows-hash.js";

const MOST_NAMED = 20;

/**
 * Finds certificates whose rows are not those that were committed, nor those that retention left: a new row of `purges`
 * would end what `verify` finds. Those of a run under way wait.
 * @param expired SQL of the rows that go
 * @param keep is called with the condition of the rows that stay
 * @returns what to tell of the first
 */
export async function leaveUnproved(
  lake: Lake,
  expired: string,
  keep: (sql: SqlSession, condition: string) => Promise<unknown>,
): Promise<string | undefined> {
  const feed = await readTable({ ...lake, table: transactionChanges.name });
  return readTables(lake, [linkSyncs, purges, runs], async (sql) => {
    await hashRows(sql, feed, `(link_id, run_id) in (select (link_id, run_id) from ${expired})`);
    await sql.run(`create temp table unproved as
      select link_id, run_id from hashed anti join (
        select link_id, run_id, rows_sha256 from link_syncs where certificate is not null
        union all select link_id, run_id, rows_sha256 from purges
      ) using (link_id, run_id, rows_sha256)`);
    await keep(sql, "(link_id, run_id) in (select (link_id, run_id) from unproved)");
    const named = await sql.rowsAtOnce(`select link_id, run_id, count(*) over () as n from unproved
      where run_id in (select run_id from runs) or (link_id, run_id) in (select (link_id, run_id) from link_syncs)
      order by link_id, run_id limit ${MOST_NAMED}`);
    const total = Number(named[0]?.n ?? 0);
    if (total === 0) return undefined;
    const names = named.map(({ link_id, run_id }) => `link ${link_id}, run ${run_id}`);
    const all = [...names, ...(total > MOST_NAMED ? ["and so on"] : [])].join("; ");
    return `Table ${transactionChanges.name} keeps rows whose time is over, because ${counted(total, "certificate")} with such rows can't be proved: ${all}. Find out why with nightledger verify.`;
  });
}

/** Writes what is left of each certificate that loses rows. */
export async function keepProofs(lake: Lake, left: string, expired: string): Promise<void> {
  await appendDecided(lake, purges, async () => {
    const feed = await readTable({ ...lake, table: transactionChanges.name });
    const recorded = sqlText(new Date().toISOString());
    const files = await writeStored(lake, purges, "purge", async (sql) => {
      await hashRows(sql, feed, left);
      return `select link_id, run_id, coalesce(rows, 0)::bigint as rows, rows_sha256, 'transactions' as rule,
          ${recorded}::timestamptz as recorded_at
        from (select distinct link_id, run_id from ${expired})
          left join (select link_id, run_id, sum(rows) as rows from hashed_parts group by all) using (link_id, run_id)
          left join hashed using (link_id, run_id) order by link_id, run_id`;
    });
    return { files, result: undefined };
  });
}
