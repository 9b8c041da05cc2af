import type { TableSpec } from "../delta/delta-schema.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { quarantine, quarantineResolutions } from "../tables/quarantine.js";
import { transactionChanges } from "../tables/transactions.js";

/** Bad rows, and those that a person or a whole list has closed. */
export const RECORDED: readonly TableSpec[] = [quarantine, quarantineResolutions];
/** These close other rows. A whole list's closing is recorded, since an unchanged list leaves nothing else. */
export const CLOSING: readonly TableSpec[] = [transactionChanges, linkSyncs];

export const QUARANTINE_SOURCES: readonly TableSpec[] = [...RECORDED, ...CLOSING];

/** The row's JSON without halves of surrogate pairs. */
export const JSON_OF = `case when json_valid(payload) then payload
  else regexp_replace(payload, '\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '?', 'g') end`;

/** Null if the id can't be read or appears twice. */
const TRANSACTION_ID = `case
  when stream <> 'transactions' then null
  when not json_valid(text) then null
  when list = 'removed' then if(json_type(text) = 'VARCHAR', text::json ->> '$', null)
  when json_type(text, '$.transaction_id') = 'VARCHAR'
    and len(list_filter(json_keys(text), lambda name: name = 'transaction_id')) = 1
    then text::json ->> '$.transaction_id' end`;

const placeOf = (column: string) => `(case ${column} when 'created' then 0 when 'updated' then 1 else 2 end)`;

const BAD = `select * exclude (text), left(sha256(concat_ws(' ', run_id, stream, fp_id, coalesce(link_id, '-'), list, page, "index")), 12)
  as row_id, ${TRANSACTION_ID} as transaction_id from (select *, ${JSON_OF} as text from quarantine)`;

/** Rows not recorded as closed, over {@link RECORDED}. */
export const UNRESOLVED = `select * from (${BAD}) anti join quarantine_resolutions using (row_id)`;

/**
 * Every bad row, with its id and what closed it: `closed_by` is null while it is open, `closed_at` where that is not
 * recorded. The one definition of *open* (docs/use/tables.md, "Open rows").
 */
export const QUARANTINE_STATES = `
  with bad as (${BAD}),
  resolved as (
    select row_id, arg_min(resolved_by, resolved_at) as closed_by, min(resolved_at) as closed_at,
      arg_min(coalesce(reason, ''), resolved_at) as closing_reason
    from quarantine_resolutions group by row_id
  ),
  unresolved as materialized (
    select row_id, run_id, stream, fp_id, link_id, list, fetched_at,
      transaction_id
    from bad anti join resolved using (row_id)
  ),
  came_good as (
    select u.row_id from transaction_changes c join unresolved u
      on c.link_id = u.link_id and c.transaction_id = u.transaction_id
    where c.fetched_at > u.fetched_at or (c.fetched_at = u.fetched_at and c.run_id = u.run_id
      and ${placeOf("c.change_type")} > ${placeOf("u.list")})
  ),
  read_again as (
    select u.row_id
    from link_syncs s join unresolved u on s.link_id = u.link_id and s.run_id <> u.run_id
    where u.stream = 'transactions' and s.certificate is not null and s.finished_at > u.fetched_at
      and (s.cursor_in is null or u.row_id in (
        select o.row_id from link_syncs own join unresolved o
          on own.link_id = o.link_id and own.run_id = o.run_id and own.fp_id = o.fp_id
        where own.certificate is null))
    union all
    select u.row_id from bad later join unresolved u
      on later.stream = u.stream and later.fp_id = u.fp_id and later.run_id <> u.run_id
      and later.link_id is not distinct from u.link_id
    where u.stream <> 'transactions' and later.fetched_at > u.fetched_at
  )
  select bad.*, coalesce(resolved.closed_by, case
      when bad.row_id in (select row_id from came_good) then 'change'
      when bad.row_id in (select row_id from read_again) then 'reading' end) as closed_by,
    closed_at, nullif(closing_reason, '') as closing_reason
  from bad left join resolved using (row_id)`;

const OPEN_COLUMNS = ["row_id", ...quarantine.columns.map(({ name }) => `"${name}"`)].join(", ");

/** Over the view `quarantine_states`. */
export const QUARANTINE_OPEN = `select ${OPEN_COLUMNS} from quarantine_states where closed_by is null`;
