-- Accounts that are listed now, with what their bank states.
select
  fp_id,
  link_id,
  account_id,
  name as account_name,
  account_type,
  closed is true as is_closed,
  balance_current,
  balance_available,
  balance_currency as currency,
  observed_at
from {{ source('nightledger', 'accounts_current') }}
