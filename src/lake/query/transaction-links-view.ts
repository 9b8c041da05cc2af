import type { PendingRule } from "../../domain/tables/pending-rule.js";
import { sqlText } from "../sql/duckdb-sql.js";

const SAME = "partition by link_id, transaction_id order by sequence";

/** Whether a posted change may be what a departure `p` became; the joins below compare account, currency and type. */
const IS_NEAR = `q."date" between p."date" and p."date" + 14 and (q.run_id = p.run_id or q.sequence > p.gone_after)
      and (p.returned_sequence is null or q.sequence < p.returned_sequence)`;

const NAMES = `unnest(['m' || nullif(trim(merchant_id), ''), 'd' || nullif(trim(description), '')]) as name`;

/** Pairs whose posted transaction is new with this change. */
const isNew = (pairs: string) => `${pairs} semi join (
      select link_id, transaction_id as posted_id, min(sequence) as posted_sequence
      from feed semi join ${pairs} on feed.link_id = ${pairs}.link_id and transaction_id = posted_id group by all
    ) using (link_id, posted_id, posted_sequence)`;

/** Pairs without a better tier of the departure or the posted transaction. */
const BEST = `tier = min(tier) over (partition by link_id, sequence)
      and tier = min(tier) over (partition by link_id, posted_sequence)`;

const PAIR = `p.link_id, p.sequence, q.transaction_id as posted_id, q.sequence as posted_sequence, q.run_id as posted_run_id,
      q.signed_amount as posted_signed_amount, q."date" as posted_date`;

/** How a pending row goes: by its own removal, or by its link's next update without it. */
const GONE: Readonly<Record<PendingRule, { readonly updates: string; readonly isGone: string }>> = {
  listed: {
    updates: "(select *, run_id as gone_run_id, sequence as gone_after from updates)",
    isGone: `change_type = 'removed' and lag(change_type) over (${SAME}) is distinct from 'removed'`,
  },
  replaced: {
    updates: `updates join (
        select link_id, run_id, lead(run_id) over by_time as gone_run_id, lead(min(sequence)) over by_time - 1 as gone_after
        from feed group by link_id, run_id window by_time as (partition by link_id order by min(sequence))
      ) using (link_id, run_id)`,
    isGone: `change_type <> 'removed' and gone_run_id is not null
      and (lead(run_id) over (${SAME}) is distinct from gone_run_id or lead(change_type) over (${SAME}) = 'removed')`,
  },
};

/**
 * `transaction_links` (docs/use/tables.md, "transaction_links") over the feed: a row for each departure, an update that
 * removed or replaced a pending transaction. A departure with one candidate, in the first update that brought any,
 * claims it if no other does; it is a pair if no departure without a claim fits that candidate either.
 * @param rule as for `transactions`: a replaced row may have become more than the posted one
 * @param link only its rows: no pair crosses links
 */
export function transactionLinks(rule: PendingRule, link?: string): string {
  return `
  with feed as not materialized (
    from transaction_changes${link === undefined ? "" : ` where link_id = ${sqlText(link)}`}
  ), updates as (
    select link_id, fp_id, transaction_id, sequence, run_id, inferred, change_type, last_value(if(change_type = 'removed', null,
      struct_pack(account_id, currency, type, signed_amount, "date", pending, merchant_id, description)) ignore nulls) over (${SAME}) as state
    from feed semi join (select link_id, transaction_id from feed where pending) using (link_id, transaction_id)
    qualify lead(run_id) over (${SAME}) is distinct from run_id
  ), departures as materialized (
    select * exclude (state, change_type, run_id, gone_run_id), gone_run_id as run_id, unnest(state),
      min(if(change_type = 'removed', null, sequence))
        over (${SAME} rows between 1 following and unbounded following) as returned_sequence
    from ${GONE[rule].updates} qualify state.pending and ${GONE[rule].isGone}
  ), posted as not materialized (
    from feed where change_type <> 'removed' ${rule === "listed" ? "and not pending" : ""}
  ), equal as materialized (
    select ${PAIR}, 1 as tier, q.run_id = p.run_id as is_at_once
    from departures p join posted q using (link_id, account_id, currency, type, signed_amount) where ${IS_NEAR}
  ), exact as materialized (
    from ${isNew("equal")}
  ), alike as materialized (
    select ${PAIR}, 2 as tier
    from (
      select *, unnest([0, 1]) + ("date" - date '2000-01-01') // 15 as half_month from (
        select *, ${NAMES} from departures
          anti join (select link_id, sequence from exact where is_at_once) using (link_id, sequence))
    ) p join (select *, ${NAMES}, ("date" - date '2000-01-01') // 15 as half_month from posted) q
      using (link_id, account_id, currency, type, name, half_month)
    where ${IS_NEAR} and q.signed_amount is distinct from p.signed_amount and (name[1] = 'm'
      or nullif(trim(p.merchant_id), '') is null or nullif(trim(q.merchant_id), '') is null)
  ), fits as materialized (
    select * exclude (is_at_once) from exact union all from ${isNew("alike")}
  ), firsts as (
    from (from fits qualify posted_run_id = first_value(posted_run_id) over (partition by link_id, sequence order by posted_sequence))
    qualify ${BEST}
  ), claims as (
    select link_id, sequence, posted_sequence as claimed from firsts
    qualify count(*) over (partition by link_id, sequence) = 1 and count(*) over (partition by link_id, posted_sequence) = 1
  ), candidates as (
    select * from fits left join claims using (link_id, sequence) where posted_sequence = coalesce(claimed, posted_sequence)
    qualify ${BEST}
  ), outcomes as (
    select link_id, sequence, ['exact', 'amount_changed'][any_value(tier)] as candidate_tier, count(*) as posted_candidates, max(rivals) as pending_candidates,
      to_json(min_by(posted_id, posted_sequence, 10))::varchar as candidate_ids,
      if(count(*) = 1 and max(rivals) = 1, any_value(pair), null) as pair
    from (select *, count(*) over (partition by link_id, posted_sequence) as rivals,
      struct_pack(posted_id, posted_signed_amount, posted_date, posted_run_id, posted_sequence) as pair from candidates)
    group by all
  )
  select link_id, fp_id, account_id, transaction_id as pending_transaction_id, pair.posted_id as posted_transaction_id,
    case when pair is not null then candidate_tier when returned_sequence is not null then 'returned'
      when candidate_tier is null then 'waiting' else 'ambiguous' end as tier,
    candidate_tier, coalesce(posted_candidates, 0) as posted_candidates,
    coalesce(pending_candidates, 0) as pending_candidates, candidate_ids, currency, type,
    signed_amount as pending_signed_amount, pair.posted_signed_amount, "date" as pending_date, pair.posted_date,
    merchant_id, description, run_id as removed_run_id, sequence as removed_sequence, inferred as removal_inferred,
    pair.posted_run_id, pair.posted_sequence
  from departures left join outcomes using (link_id, sequence)`;
}
