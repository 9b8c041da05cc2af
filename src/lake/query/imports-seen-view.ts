import type { TableSpec } from "../delta/delta-schema.js";
import { varchar } from "../tables/columns.js";

/** What is read of accounts. */
export const ACCOUNTS = {
  name: "accounts",
  columns: varchar("link_id", "account_id", "other_fields"),
} as const satisfies TableSpec;

/** The caller's own id in something imported; null where the service shows none. */
export const ORIGINAL = `case when other_fields like '%"original_id"%' then other_fields::json ->> '$.original_id' end`;

/**
 * Imported rows that came back, with the first run (docs/use/imports.md, "What came back"): by id, as `transaction_id`
 * or `original_id`, in the account of either id; else by content, if exactly one row fits.
 */
export const IMPORTS_BROUGHT_BACK = `
  with own as (
    select distinct link_id, account_id, ${ORIGINAL} as own_id from accounts where own_id is not null
  ), feed as (
    select *, ${ORIGINAL} as original_id, min(fetched_at) over (partition by link_id, transaction_id) as first_at
    from transaction_changes semi join transaction_imports using (link_id) where change_type <> 'removed'
  ), named as (
    from feed union all by name
    select feed.* replace (own_id as account_id) from feed join own using (link_id, account_id)
  ), by_id as (
    select link_id, account_id, transaction_id, arg_min(run_id, sequence) as seen_in_run
    from (from named union all by name select * replace (original_id as transaction_id) from named)
    semi join transaction_imports using (link_id, account_id, transaction_id) group by all
  ), fitting as (
    select i.link_id, i.account_id, i.transaction_id, arg_min(f.run_id, f.sequence) as seen_in_run,
      count(distinct f.transaction_id) as fits, any_value(f.transaction_id) as id
    from transaction_imports i join named f on (i.link_id, i.account_id, i.date, abs(i.amount))
      = (f.link_id, f.account_id, f.date, abs(f.amount)) and first_at > imported_at
      and coalesce(i.description, '') in (coalesce(f.description, ''), coalesce(f.raw_description, ''))
    where not exists (from by_id) group by all
  )
  select *, true as by_id from by_id
  union all by name
  select * exclude (fits, id), false as by_id from fitting where fits = 1
  qualify count(*) over (partition by link_id, id) = 1`;

/** `imports_seen`: each imported row, with the run that first brought it back. */
export const IMPORTS_SEEN = `
  select run_id, line, link_id, account_id, transaction_id, status, imported_at, seen_in_run
  from transaction_imports left join (${IMPORTS_BROUGHT_BACK}) using (link_id, account_id, transaction_id)`;
