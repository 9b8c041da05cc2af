const DECISIONS = "('pass', 'fail', 'none', 'error')";

/** SQL of what a row waits for, in the order in which `next_action` is decided; null for one that is done. */
const STATE = `case
  when status in ('failed', 'invalid') then 'failed'
  when status = 'cancelled' then 'cancelled'
  when status = 'expired_no_response' then 'expired'
  when status in ('needs_customer', 'incomplete') or next_action like 'the customer answers%' then 'customer'
  when requires_manual_review then 'review'
  when status = 'error' then 'failed'
  when status = 'pending' then 'decision'
  when status not in ('pass', 'fail') or next_action is not null then 'check' end`;

/** SQL of outcomes and when each was told: events have the service's words for a status, so versions are joined. */
const TOLD = `onboardings left join (
    select batch_id, line, attempt, version, max("at") as told_at from onboarding_events group by all
  ) using (batch_id, line, attempt, version)`;

/** SQL of `onboarding_queue`: one row for each row of a batch whose latest outcome is open or needs somebody. */
export const ONBOARDING_QUEUE = `
  with waiting as (
    select *, ${STATE} as state from (
      select * exclude (output) from onboardings
      qualify row_number() over (partition by batch_id, line order by attempt desc, version desc) = 1
    ) where state is not null
  ), became as (
    select batch_id, line, attempt, status, min(told_at) as "at" from ${TOLD} group by all
  )
  select batch_id, line, attempt, kind, fp_id, fp_bid, external_id, onboarding_id, playbook_key, status, state,
    coalesce(settled_at, "at", started_at) as since, (epoch_ms(now()) - epoch_ms(since)) // 1000 as age_s,
    error_class, next_action, started_at
  from waiting left join became using (batch_id, line, attempt, status)`;

const RESULT = `case
  when status in ${DECISIONS} and requires_manual_review then 'review'
  when status in ('pass', 'fail') then status
  when status in ('none', 'error', 'failed', 'invalid', 'cancelled', 'expired_no_response') then 'other' end`;
const DECIDED = "('pass', 'fail', 'review')";
const WAS_DECIDED = `(result in ${DECIDED} and coalesce(prior, '') not in ${DECIDED})`;
const RESULTS = ["pass", "fail", "review", "other"];
const TOTALS = RESULTS.map((name) => `${name}_total`);

/**
 * SQL of `batch_burndown`: one row for each batch and day on which something came of its rows. A row counts as what its
 * latest version says at the day's end; until its first outcome, and while it waits, it is open.
 */
export const BATCH_BURNDOWN = `
  with versions as (
    select batch_id, line, attempt, version, started_at, settled_at, ${RESULT} as result,
      coalesce(told_at, settled_at, started_at) as "at"
    from ${TOLD}
  ), moves as (
    select *, lag(result) over (partition by batch_id, line order by attempt, version) as prior from versions
  ), changes as (
    select batch_id, least(min(started_at), min("at"))::date as day, 1 as started, null as result, null as prior, null as took_s
    from versions group by batch_id, line
    union all
    select batch_id, "at"::date, 0, result, prior, (epoch_ms(settled_at) - epoch_ms(started_at)) / 1000
    from moves where result is distinct from prior
  ), days as (
    select batch_id, day, sum(started)::bigint as started,
      ${RESULTS.map((name) => `count(*) filter (result = '${name}') - count(*) filter (prior = '${name}') as "${name}"`).join(", ")},
      count(*) filter ${WAS_DECIDED} as decided,
      quantile_cont(took_s, [0.5, 0.9]) filter ${WAS_DECIDED} as took
    from changes group by batch_id, day
  ), totals as (
    select batch_id, day, started, decided, took, ${["started", ...RESULTS].map((name) => `(sum("${name}") over so_far)::bigint as "${name}_total"`).join(", ")}
    from days window so_far as (partition by batch_id order by day)
  )
  select batch_id, day, started, decided, round(took[1], 3) as median_s, round(took[2], 3) as p90_s, started_total,
    ${TOTALS.join(", ")}, started_total - ${TOTALS.join(" - ")} as open
  from totals`;
