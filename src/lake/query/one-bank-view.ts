/**
 * Accounts that a user has under two links of one institution, by mask and name, over `bank_links` and `accounts`; also
 * under links that are gone, because their rows stay.
 */
export const ACCOUNTS_TWICE = `
  with listed as (
    select fp_id, link_id, arg_max(coalesce(institution_id, institution_name), observed_at) as bank,
      arg_max(institution_name, observed_at) as institution_name,
      arg_max(if(gone is true, 'deleted', state), observed_at) as state,
      coalesce(min(created_at), min(observed_at)) as connected_at
    from bank_links group by fp_id, link_id
  ), held as (
    select fp_id, link_id, account_id, arg_max(name, observed_at) as name, arg_max(mask, observed_at) as mask,
      bank, institution_name, state, connected_at
    from accounts join listed using (fp_id, link_id) group by all
  )
  select a.fp_id, a.institution_name, a.name, a.mask, a.link_id, a.account_id, a.state,
    b.link_id as later_link_id, b.account_id as later_account_id, b.state as later_state
  from held a join held b on a.fp_id = b.fp_id and a.bank = b.bank and a.name = b.name
    and a.mask is not distinct from b.mask and (a.connected_at, a.link_id) < (b.connected_at, b.link_id)
  where a.link_id <> b.link_id`;

/** `links_of_one_bank`: those with transactions of overlapping days (docs/use/tables.md). */
export const LINKS_OF_ONE_BANK = `
  with twice as materialized (${ACCOUNTS_TWICE}),
  days as (
    select link_id, account_id, min("date") as first_date, max("date") as last_date from transactions
      semi join (select link_id from twice union select later_link_id from twice) using (link_id)
    group by link_id, account_id
  )
  select t.*, greatest(d.first_date, l.first_date) as first_date, least(d.last_date, l.last_date) as last_date
  from twice t join days d on d.link_id = t.link_id and d.account_id = t.account_id
    join days l on l.link_id = t.later_link_id and l.account_id = t.later_account_id
  where greatest(d.first_date, l.first_date) <= least(d.last_date, l.last_date)`;
