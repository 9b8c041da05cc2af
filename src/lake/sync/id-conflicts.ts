import type { LinkProgress, LinkRecord } from "../../domain/sync/link.js";
import { localFiles } from "../delta/data-files.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { newestView } from "../query/query-views.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import { sqlList } from "../sql/duckdb-sql.js";
import { transactionChanges, transactions } from "../tables/transactions.js";
import type { FeedFile } from "./feed-file.js";

/** Its rows are in files that no commit names yet. */
interface NewRows {
  readonly record: Pick<LinkRecord, "link_id">;
  readonly progress: Pick<LinkProgress, "mode">;
  readonly files: readonly { readonly file?: FeedFile }[];
}

/** With more, almost every file holds some of them. */
const MOST_LINKS = 100;

const oneOf = (links: readonly string[]) => `select unnest(${sqlList(links)}::varchar[])`;

const VALUES = `account_id, amount, "date"`;
const ROW = `link_id, transaction_id, change_type, sequence, ${VALUES}, pending`;

/**
 * Counts, by link, `created` rows under the id of a posted transaction with another account, date or amount, of the same
 * update or of `transactions`. A service may post a pending row under its id.
 */
export async function idConflicts(
  lake: Lake,
  updates: readonly NewRows[],
): Promise<ReadonlyMap<string, number>> {
  if (updates.length === 0) return new Map();
  const location = { ...lake, table: transactionChanges.name };
  const files = updates.flatMap((update) => update.files.flatMap(({ file }) => file ?? []));
  const source = parquetFiles(
    await localFiles(location, new Map(files.map((file) => [file.path, file])).values()),
  );
  const links = updates.map(({ record }) => record.link_id);
  // A full reading brings known ids again.
  const known = updates
    .filter(({ progress }) => progress.mode === "incremental")
    .map(({ record }) => record.link_id);
  const tests = known.length > MOST_LINKS ? [] : known.map((link) => holdsLinks(link, link));
  const isNeeded = (facts: ReturnType<typeof factsOf>) =>
    known.length > 0 && (tests.length === 0 || tests.some((holds) => holds(facts)));
  const view = await newestView(lake, transactions, (file) => isNeeded(factsOf(file)));
  const rows = await lake.duckdb.exclusive(async (sql) => {
    await sql.run(view);
    return sql.rows(`
      with fresh as materialized (
        select ${ROW} from ${source} where link_id in (${oneOf(links)})
      ), ids as (
        select link_id, transaction_id from fresh where change_type = 'created'
      ), every_row as (
        select * from fresh semi join ids using (link_id, transaction_id)
        union all
        select link_id, transaction_id, 'created', 0, ${VALUES}, pending
        from transactions semi join ids using (link_id, transaction_id)
        where link_id in (${oneOf(known)})
      ), several as (
        select link_id, transaction_id from every_row group by all having count(*) > 1
      ), pairs as (
        select link_id, change_type, row(${VALUES}) as row_values,
          lag(struct_pack(change_type, pending, row_values := row(${VALUES}))) over same as before
        from every_row semi join several using (link_id, transaction_id)
        window same as (partition by link_id, transaction_id order by sequence)
      )
      select link_id, count(*) as conflicts from pairs
      where change_type = 'created' and before.change_type <> 'removed' and before.pending is not true
        and row_values is distinct from before.row_values
      group by link_id`);
  });
  return new Map(rows.map(({ link_id, conflicts }) => [String(link_id), Number(conflicts)]));
}
