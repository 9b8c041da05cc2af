-- Live transactions, each with its account and bank.
select
  t.link_id,
  t.transaction_id,
  t.fp_id,
  t.account_id,
  t.date as booked_on,
  t.signed_amount,
  t.currency,
  t.pending as is_pending,
  t.description,
  t.merchant_name,
  t.enrichment_category as category,
  a.name as account_name,
  a.account_type,
  b.institution_name
from {{ source('nightledger', 'transactions') }} as t
left join {{ source('nightledger', 'accounts_current') }} as a
  on a.fp_id = t.fp_id and a.link_id = t.link_id and a.account_id = t.account_id
left join {{ source('nightledger', 'bank_links_current') }} as b
  on b.fp_id = t.fp_id and b.link_id = t.link_id
