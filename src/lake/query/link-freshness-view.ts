import { FORGOTTEN_NOW } from "../tables/erasures.js";

const CURRENT = "('synced', 'unchanged', 'superseded')";

/** SQL of whose turn it is, as docs/run/errors.md, "Reasons of a link", says; a test compares it with the summary's words. */
const TURN = `case
  when last.status in ${CURRENT} then null
  when last.status = 'not_ready' then 'bank'
  when regexp_full_match(last.reason, 'state error (auth_expired|invalid_credentials|user_error|user_input_incorrect|'
    || 'user_oauth_denied|user_setup_required|incomplete|no_accounts)') then 'customer'
  when last.reason in ('state connecting', 'state error institution_error') then 'bank'
  when last.reason in ('state error provider_error', 'state error system_error') then 'service'
  when regexp_matches(last.reason, '^(gave_up|cursor_loop|refused http_|update_refused|resync_without_cursor|schema )')
    then 'service'
  else 'us' end`;

/**
 * SQL of `link_freshness`: one row for each bank link that runs found, without those that the customer deleted, that are
 * no longer listed, or whose owner was forgotten. Of two rows of one instant, the one with a commit is the last.
 */
export const LINK_FRESHNESS = `
  with seen as (
    select link_id, min(finished_at) as first_at, max(finished_at) filter (status in ${CURRENT}) as committed_at,
      arg_max(struct_pack(fp_id := fp_id, run_id := run_id, status := status, reason := reason, finished_at := finished_at), (finished_at, status in ${CURRENT}, run_id)) as last,
      arg_max(fp_id, finished_at) filter (status in ('synced', 'unchanged')) as owner
    from link_syncs group by link_id
  ), vain as (
    select link_id, count(distinct finished_at::date) as nights from link_syncs join seen using (link_id)
    where committed_at is null or finished_at > committed_at group by link_id
  ), listed as (
    select link_id, bool_and(is_gone) as is_gone, arg_max(institution_name, observed_at) as institution_name from (
      select link_id, max(observed_at) as observed_at, arg_max(gone is true, observed_at) as is_gone,
        arg_max(institution_name, observed_at) as institution_name
      from bank_links group by fp_id, link_id
    ) group by link_id
  )
  select coalesce(owner, last.fp_id) as fp_id, link_id, institution_name, committed_at,
    (epoch_ms(now()) - epoch_ms(coalesce(committed_at, first_at))) // 1000 as age_s, coalesce(nights, 0) as nights,
    ${TURN} as turn, last.status as last_status, last.reason as last_reason, last.run_id as last_run_id,
    last.finished_at as last_at, first_at
  from seen left join vain using (link_id) left join listed using (link_id)
  where is_gone is not true and coalesce(last.reason, '') not in ('state deleted', 'link_gone')
    and coalesce(owner, last.fp_id, '') not in (${FORGOTTEN_NOW})`;

/** SQL of `stale_links`: those that `status` lists unless it is told another age. */
export const STALE_LINKS = `
  select * from link_freshness where age_s > 3 * 86400 and last_at > now() - interval 33 days`;
