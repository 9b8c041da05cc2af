import type { PendingRule } from "../../domain/tables/pending-rule.js";
import { FORGOTTEN_NOW } from "../tables/erasures.js";
import { IS_TIMELY } from "../tables/runs.js";
import { IMPORTS_SEEN } from "./imports-seen-view.js";
import { LINKS_OF_ONE_BANK } from "./one-bank-view.js";
import { QUARANTINE_OPEN, QUARANTINE_SOURCES, QUARANTINE_STATES } from "./quarantine-view.js";
import { transactionLinks } from "./transaction-links-view.js";

const DECISIONS = "('pass', 'fail', 'none', 'error')";

/** What a row waits for, in the order of `next_action`; null for one that is done. */
const STATE = `case
  when status in ('failed', 'invalid') then 'failed'
  when status = 'cancelled' then 'cancelled'
  when status = 'expired_no_response' then 'expired'
  when status in ('needs_customer', 'incomplete') or next_action like 'the customer answers%' then 'customer'
  when requires_manual_review then 'review'
  when status = 'error' then 'failed'
  when status = 'pending' then 'decision'
  when status not in ('pass', 'fail') or next_action is not null then 'check' end`;

/** Outcomes, and when each was reported: events have the service's words for a status, so versions are joined. */
const TOLD = `onboardings left join (
    select batch_id, line, attempt, version, max("at") as told_at from onboarding_events group by all
  ) using (batch_id, line, attempt, version)`;

/** `onboarding_queue`: rows whose latest outcome is open or needs somebody. */
const ONBOARDING_QUEUE = `
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
    error_class, next_action, started_at, expires_at
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
 * `batch_burndown`: a row for each batch and day with an outcome. A row counts as its latest version at the day's end;
 * until its first outcome, and while it waits, it is open.
 */
const BATCH_BURNDOWN = `
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

const CURRENT = "('synced', 'unchanged', 'superseded')";

/** Whose turn it is (docs/run/errors.md, "Reasons of a link"); a test compares it with the summary's words. */
const TURN = `case
  when last.status in ${CURRENT} and not starts_with(coalesce(last.reason, ''), 'state ') then null
  when last.status = 'not_ready' then 'bank'
  when last.status = 'still_reading' then 'service'
  when regexp_full_match(last.reason, 'state error (auth_expired|invalid_credentials|user_error|user_input_incorrect|'
    || 'user_oauth_denied|user_setup_required|incomplete|no_accounts)') then 'customer'
  when last.reason in ('state connecting', 'state error institution_error') then 'bank'
  when last.reason in ('state error provider_error', 'state error system_error') then 'service'
  when regexp_matches(last.reason, '^(gave_up|cursor_loop|refused http_|update_refused|every_row_bad|resync_without_cursor|schema )')
    then 'service'
  else 'us' end`;

/**
 * `link_freshness`: links that runs found, without deleted, unlisted and forgotten ones. Of two rows of one instant, the
 * commit is the last.
 */
const LINK_FRESHNESS = `
  with timely as (from link_syncs where ${IS_TIMELY}), seen as (
    select link_id, min(finished_at) as first_at, max(finished_at) filter (status in ${CURRENT}) as committed_at,
      arg_max(struct_pack(fp_id := fp_id, run_id := run_id, status := status, reason := reason, finished_at := finished_at), (finished_at, status in ${CURRENT}, run_id)) as last,
      arg_max(fp_id, finished_at) filter (status in ('synced', 'unchanged', 'still_reading')) as owner
    from timely group by link_id
  ), vain as (
    select link_id, count(distinct finished_at::date) as nights from timely join seen using (link_id)
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

/** `stale_links`, as `status` lists them. */
const STALE_LINKS = `
  select * from link_freshness where age_s > 3 * 86400 and last_at > now() - interval 33 days`;

const SECONDS = "round((epoch_ms(finished_at) - epoch_ms(started_at)) / 1000, 3)";

/** `run_trends`: each run's times in seconds and rows per second. */
const RUN_TRENDS = `
  select run_id, kind, schedule, started_at::date as day, started_at, ${SECONDS} as duration_s, status, links,
    created, updated, removed, quarantined, failed, calls, pages, restarts, round(paused_ms / 1000, 3) as paused_s,
    round((created + updated + removed) / nullif(${SECONDS}, 0), 1) as rows_per_s
  from runs`;

const VALUES = ["signed_amount", "currency", "date", "pending", "description", "merchant_name"];
const ASKED = VALUES.map((name) => `"${name}", lag("${name}") over changes as ${name}_before`);

/** `daily_changes`: each row of the feed, with its transaction's values before. */
const DAILY_CHANGES = `
  select fetched_at::date as day, run_id, fp_id, link_id,
    coalesce(account_id, lag(account_id) over changes) as account_id, transaction_id, sequence, change_type, inferred,
    ${ASKED.join(", ")}
  from transaction_changes window changes as (partition by link_id, transaction_id order by sequence)`;

const BALANCES = ["balance_available", "balance_current", "balance_limit", "balance_currency"];

/**
 * `account_balances`: each change of an account's balances, its first observation included (docs/use/tables.md,
 * "account_balances"). An account that was gone begins again.
 */
const BALANCES_VIEW = `
  select run_id, observed_at, fp_id, link_id, account_id, ${BALANCES.join(", ")}, balance_date, balance_date_text
  from (
    select *, ${BALANCES.map((name) => `${name} is not distinct from lag(${name}) over same`).join(" and ")}
      and not lag(gone is true, 1, true) over same as is_same
    from accounts window same as (partition by fp_id, link_id, account_id order by observed_at)
  ) where gone is not true and not is_same`;

/** A view beside the tables, for callers that know its tables. */
interface LakeView {
  readonly name: string;
  readonly sources: readonly string[];
  readonly sql: string;
  /** Where pending rows are replaced, if that differs. */
  readonly replaced?: string;
}

const OF_QUARANTINE = QUARANTINE_SOURCES.map(({ name }) => name);

/** Sources of others first (docs/use/tables.md has a section for each). */
export const VIEWS: readonly LakeView[] = [
  { name: "account_balances", sources: ["accounts"], sql: BALANCES_VIEW },
  { name: "quarantine_states", sources: OF_QUARANTINE, sql: QUARANTINE_STATES },
  { name: "quarantine_open", sources: OF_QUARANTINE, sql: QUARANTINE_OPEN },
  { name: "link_freshness", sources: ["link_syncs", "bank_links", "erasures"], sql: LINK_FRESHNESS },
  { name: "stale_links", sources: ["link_syncs", "bank_links", "erasures"], sql: STALE_LINKS },
  {
    name: "links_of_one_bank",
    sources: ["bank_links", "accounts", "transactions"],
    sql: LINKS_OF_ONE_BANK,
  },
  { name: "daily_changes", sources: ["transaction_changes"], sql: DAILY_CHANGES },
  {
    name: "transaction_links",
    sources: ["transaction_changes"],
    sql: transactionLinks("listed"),
    replaced: transactionLinks("replaced"),
  },
  {
    name: "imports_seen",
    sources: ["transaction_imports", "transaction_changes", "accounts"],
    sql: IMPORTS_SEEN,
  },
  { name: "run_trends", sources: ["runs"], sql: RUN_TRENDS },
  { name: "onboarding_queue", sources: ["onboardings", "onboarding_events"], sql: ONBOARDING_QUEUE },
  { name: "batch_burndown", sources: ["onboardings", "onboarding_events"], sql: BATCH_BURNDOWN },
];

export function viewStatements(tables: ReadonlySet<string>, rule: PendingRule = "listed"): string[] {
  const made = VIEWS.filter(({ sources }) => sources.every((name) => tables.has(name)));
  return made.map(({ name, sql, replaced }) => {
    return `create temp view ${name} as ${rule === "replaced" ? (replaced ?? sql) : sql}`;
  });
}
