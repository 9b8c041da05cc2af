-- How each bank link ended in each run.
select
  run_id,
  link_id,
  fp_id,
  status,
  reason,
  status in ('synced', 'unchanged', 'superseded') as is_current,
  created,
  updated,
  removed,
  quarantined,
  finished_at
from {{ source('nightledger', 'link_syncs') }}
