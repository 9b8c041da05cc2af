const BALANCES = ["balance_available", "balance_current", "balance_limit", "balance_currency"];

/**
 * SQL of `account_balances` over the history `accounts`: a row for each change of an account's balances, the first
 * observation among them (docs/use/tables.md, "account_balances"). An account that was gone begins again.
 */
export const BALANCES_VIEW = `
  select run_id, observed_at, fp_id, link_id, account_id, ${BALANCES.join(", ")}, balance_date, balance_date_text
  from (
    select *, ${BALANCES.map((name) => `${name} is not distinct from lag(${name}) over same`).join(" and ")}
      and not lag(gone is true, 1, true) over same as is_same
    from accounts window same as (partition by fp_id, link_id, account_id order by observed_at)
  ) where gone is not true and not is_same`;
