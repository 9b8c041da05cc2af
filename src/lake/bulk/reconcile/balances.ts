import {
  type BalanceCheck,
  checkBalance,
  type ObservedBalance,
  type PostedChange,
} from "../../../domain/bulk/reconcile/balance.js";
import { groupedBy } from "../../../domain/grouped-by.js";
import type { SqlRow, SqlSession } from "../../sql/duckdb-session.js";

/** Judges balances of `known_accounts` over `accounts`, `link_syncs` and the feed. */
export async function checkBalances(
  sql: SqlSession,
  quarantined: (linkId: string) => number,
): Promise<(fpId: string, linkId: string, accountId: string) => BalanceCheck> {
  await sql.run(KNOWN_SYNCS);
  await sql.run(OBSERVATIONS);
  await sql.run(BOUNDS);
  const rows =
    await sql.rows(`select fp_id, link_id, account_id, observed_at as "observedAt", balance_current as "current",
      balance_currency as currency, gone, link_read is true as "linkRead"
    from bounds order by observed_at desc`);
  const observed = groupedBy(rows, keyOf) as ReadonlyMap<string, readonly unknown[]>;
  const posted = new Map<string, PostedChange>();
  for (const row of await sql.rows(POSTED)) {
    posted.set(keyOf(row), { sum: String(row.sum), otherCurrency: row.other_currency === true });
  }
  return (fpId, linkId, accountId) => {
    const key = JSON.stringify([fpId, linkId, accountId]);
    return checkBalance((observed.get(key) ?? []) as ObservedBalance[], posted.get(key), quarantined(linkId));
  };
}

function keyOf({ fp_id, link_id, account_id }: SqlRow): string {
  return JSON.stringify([fp_id, link_id, account_id]);
}

const KNOWN_SYNCS = `
  create temp table known_syncs as
  select run_id, link_id, certificate, certificate_prev, sequence_to, status in ('synced', 'unchanged') as is_read
  from link_syncs semi join known_accounts using (link_id)`;

/** The last two balances of each account, whether their runs read the link too, and its last certificate then. */
const OBSERVATIONS = `
  create temp table observations as
  with states as (
    select fp_id, link_id, account_id, run_id, observed_at, balance_current, balance_currency, gone is true as gone
    from accounts semi join known_accounts using (fp_id, link_id, account_id)
  ), changes as (
    select *, row_number() over same as place from states
    window same as (partition by fp_id, link_id, account_id order by observed_at)
    qualify place = 1
      or balance_current is distinct from lag(balance_current) over same
      or balance_currency is distinct from lag(balance_currency) over same
      or gone <> lag(gone) over same
  ), newest as (
    select * exclude (place), row_number() over (partition by fp_id, link_id, account_id order by observed_at desc) as nth
    from changes qualify nth <= 2
  )
  select newest.*, s.is_read is true as is_read, coalesce(s.certificate, s.certificate_prev) as head
  from newest left join known_syncs s on s.run_id = newest.run_id and s.link_id = newest.link_id and s.is_read`;

/**
 * The last row of the feed that each observation's run had of the link, by certificates: a clock may be wrong. An update
 * without rows leads on to the one before; a broken chain says nothing.
 */
const BOUNDS = `
  create temp table bounds as
  with recursive reached as (
    select fp_id, link_id, account_id, nth, head, null::bigint as upto from observations
    union all
    select r.fp_id, r.link_id, r.account_id, r.nth, s.certificate_prev, s.sequence_to
    from reached r join known_syncs s on s.link_id = r.link_id and s.certificate = r.head
    where r.upto is null
  ), ends as (
    select fp_id, link_id, account_id, nth, max(upto) as upto, bool_or(upto is not null or head is null) as is_known
    from reached group by fp_id, link_id, account_id, nth
  )
  select o.*, coalesce(e.upto, 0) as upto, o.is_read and e.is_known as link_read
  from observations o join ends e using (fp_id, link_id, account_id, nth)`;

/**
 * What became posted between an account's two observations: rows whose last change fell between them, with what they
 * counted for before and after. A run reads accounts before links, so all rows of an observation's run count as there
 * already.
 */
const POSTED = `
  with spans as (
    select last.fp_id, last.link_id, last.account_id, last.balance_currency as currency, before.upto as low, last.upto as high
    from bounds last join bounds before using (fp_id, link_id, account_id)
    where last.nth = 1 and before.nth = 2
  ), moved as (
    select distinct s.*, c.transaction_id from spans s join transaction_changes c
      on c.link_id = s.link_id and c.sequence > s.low and c.sequence <= s.high
  ), counted as (
    select m.fp_id, m.link_id, m.account_id, m.transaction_id, m.low, m.currency, c.sequence, c.currency as row_currency,
      if(c.change_type <> 'removed' and c.pending is not true and c.account_id = m.account_id, c.signed_amount, 0) as value
    from moved m join transaction_changes c on c.link_id = m.link_id and c.transaction_id = m.transaction_id
      and c.sequence <= m.high
  ), ends as (
    select fp_id, link_id, account_id, transaction_id,
      arg_max(value, sequence) filter (sequence <= low) as before, arg_max(value, sequence) as after,
      bool_or(value <> 0 and row_currency is distinct from currency) as other_currency
    from counted group by fp_id, link_id, account_id, transaction_id
  )
  select fp_id, link_id, account_id, sum(after - coalesce(before, 0)) as sum, bool_or(other_currency) as other_currency
  from ends group by fp_id, link_id, account_id`;
