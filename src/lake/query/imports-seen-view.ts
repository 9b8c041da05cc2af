import type { TableSpec } from "../delta/delta-schema.js";
import { varchar } from "../tables/columns.js";

/** What is read of accounts; the whole table is the stream's (`streams/accounts.ts`). */
export const ACCOUNTS = {
  name: "accounts",
  about: "Bank accounts as they were observed",
  columns: varchar({ link_id: "the bank link", account_id: "the account", other_fields: "as JSON" }),
} as const satisfies TableSpec;

/** SQL of the caller's own id in a row that was imported; null where the service shows none. */
const ORIGINAL_ID = `case when other_fields like '%"original_id"%' then other_fields::json ->> '$.original_id' end`;

/**
 * SQL of the rows of the ledger that a sync brought back: the first run that did, and `seen_by`, how the row is known. It
 * is the row with the ledger's id, as `transaction_id` or `original_id`, in the account with the ledger's id, its own or
 * the one that the account was imported under. Only where no row came back so, it is known by account, size of the amount,
 * day and description: if exactly one row fits, and came after the import (docs/use/imports.md, "What came back").
 */
export const IMPORTS_BROUGHT_BACK = `
  with own_accounts as (
    select distinct link_id, account_id, ${ORIGINAL_ID} as own_id from accounts where own_id is not null
  ), feed as (
    select link_id, account_id, transaction_id, min(fetched_at) as first_at, arg_min(run_id, sequence) as run_id,
      min(sequence) as sequence, any_value(${ORIGINAL_ID}) as original_id, arg_max(abs(amount), sequence) as size,
      arg_max("date", sequence) as "date", coalesce(arg_max(description, sequence), '') as description,
      coalesce(arg_max(raw_description, sequence), '') as raw_description
    from transaction_changes semi join transaction_imports using (link_id)
    where change_type <> 'removed' group by link_id, account_id, transaction_id
  ), in_account as (
    select * from feed
    union all
    select feed.* replace (own_id as account_id) from feed join own_accounts using (link_id, account_id)
    where own_id <> account_id
  ), ledger as (
    select link_id, account_id, transaction_id, min(imported_at) as imported_at, any_value(abs(amount)) as size,
      any_value("date") as "date", coalesce(any_value(description), '') as description
    from transaction_imports group by all
  ), by_id as (
    select link_id, account_id, transaction_id, arg_min(run_id, sequence) as seen_in_run, 'id' as seen_by
    from (
      select link_id, account_id, transaction_id, run_id, sequence from in_account
      union all
      select link_id, account_id, original_id, run_id, sequence from in_account where original_id is not null
    ) semi join transaction_imports using (link_id, account_id, transaction_id) group by all
  ), fitting as (
    select ledger.*, feed.run_id, count(*) over (partition by ledger.link_id, ledger.account_id, ledger.transaction_id) as rows_of_feed,
      count(*) over (partition by feed.link_id, feed.transaction_id) as rows_of_ledger
    from ledger join in_account as feed using (link_id, account_id, size, "date")
    where not exists (from by_id) and first_at > imported_at
      and ledger.description in (feed.description, feed.raw_description)
  )
  from by_id
  union all
  select link_id, account_id, transaction_id, run_id, 'content' from fitting
  where rows_of_feed = 1 and rows_of_ledger = 1`;

/** SQL of `imports_seen`: one row for each row of the ledger of imports, with the run that first brought it back. */
export const IMPORTS_SEEN = `
  select run_id, line, link_id, account_id, transaction_id, status, imported_at, seen_in_run
  from transaction_imports left join (${IMPORTS_BROUGHT_BACK}) using (link_id, account_id, transaction_id)`;
