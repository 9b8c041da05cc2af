const VALUES = ["signed_amount", "currency", "date", "pending", "description", "merchant_name"];
const ASKED = VALUES.map((name) => `"${name}", lag("${name}") over changes as ${name}_before`);

/** SQL of `daily_changes`: one row for each row of the feed, with the values that its transaction had before. */
export const DAILY_CHANGES = `
  select fetched_at::date as day, run_id, fp_id, link_id,
    coalesce(account_id, lag(account_id) over changes) as account_id, transaction_id, sequence, change_type, inferred,
    ${ASKED.join(", ")}
  from transaction_changes window changes as (partition by link_id, transaction_id order by sequence)`;
