import type { AlertRules } from "../../domain/alert-settings.js";
import type { AlertFacts, EndedRun, ScheduleFacts } from "../../domain/alerts/facts.js";
import { ANOTHER_SUBJECT, FAILURE_TYPES } from "../../domain/failures.js";
import type { Lake } from "../lake.js";
import { readTables } from "../query/query-views.js";
import { numberOf, textOf } from "../sql/duckdb-values.js";
import { openQuarantine } from "../sync/quarantine.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { onboardings } from "../tables/onboardings.js";
import { runFailures, runs } from "../tables/runs.js";

type LakeFacts = Omit<AlertFacts, "going" | "schedules">;

/** Runs of each schedule, and of each kind that nobody scheduled, that are looked at. */
const NEWEST_RUNS = 20;

const ENDED = `
  select run_id as "runId", kind, schedule, epoch_ms(scheduled_at)::double as "dueAt", status, reason, message,
    epoch_ms(started_at)::double as "startedAt", epoch_ms(finished_at)::double as "finishedAt"
  from runs
  qualify row_number() over (partition by coalesce(schedule, kind), schedule is null order by finished_at desc)
    <= ${NEWEST_RUNS} or run_id in (select unnest(from_json($1, '["VARCHAR"]')))`;

/** Links whose newest row is a failure, without those that no sync has read in the week before the newest one. */
const FAILED_LINKS = `
  select count(*) as count, arg_max(run_id, read_at) as run_id
  from (
    select link_id, arg_max(status, finished_at) as status, arg_max(run_id, finished_at) as run_id,
      max(finished_at) as read_at
    from link_syncs
    where finished_at > (select max(finished_at) from link_syncs) - interval 7 day
      and status <> 'superseded' and reason is distinct from 'superseded'
    group by link_id
  )
  where status = 'failed'`;

/**
 * What failed because its answer was about something else: users, rows of files and steps in `run_failures`, links and
 * customers in tables of their own. The newest run of each schedule, and of each kind that nobody scheduled, counts.
 */
const OTHER_SUBJECTS = `
  with newest as (
    select run_id, finished_at from runs
    qualify row_number() over (partition by coalesce(schedule, kind), schedule is null order by finished_at desc) = 1
  ), failed as (
    select run_id from run_failures where contains(reason, '${ANOTHER_SUBJECT}')
    union all
    select run_id from link_syncs where contains(reason, '${ANOTHER_SUBJECT}')
    union all
    select run_id from onboardings where error_class = '${FAILURE_TYPES.anotherSubject}'
  ), counted as (select run_id, count(*) as count from failed semi join newest using (run_id) group by run_id)
  select sum(count)::bigint as count, arg_max(run_id, count) as run_id from counted`;

const SYNCS = `
  select epoch_ms(min(started_at)) as first,
    arg_max(run_id, finished_at) filter (status in ('completed', 'completed_with_failures')) as run_id,
    epoch_ms(max(finished_at) filter (status in ('completed', 'completed_with_failures'))) as finished
  from runs where kind = 'sync'`;

/** What the lake knows for the rules; reads no table that no rule asks for. */
export async function lakeFacts(
  lake: Lake,
  rules: AlertRules,
  schedules: readonly ScheduleFacts[],
): Promise<LakeFacts> {
  const named = schedules.flatMap(({ firings }) => firings.flatMap(({ runId }) => runId ?? []));
  const asksLinks = rules["failed-links"] !== undefined;
  const asksOthers = typeof rules["another-subject"] === "number";
  const tables = [
    ...[runs, ...(asksLinks || asksOthers ? [linkSyncs] : [])],
    ...(asksOthers ? [runFailures, onboardings] : []),
  ];
  const facts = await readTables(lake, tables, async (sql) => {
    const [others = {}] = asksOthers ? await sql.rows(OTHER_SUBJECTS) : [];
    const [syncs = {}] = await sql.rows(SYNCS);
    const [links = {}] = asksLinks ? await sql.rows(FAILED_LINKS) : [];
    const [runId, finishedAt] = [textOf(syncs.run_id), numberOf(syncs.finished)];
    return {
      firstSyncAt: numberOf(syncs.first),
      newestSync: runId === null || finishedAt === null ? null : { runId, finishedAt },
      failedLinks: { count: numberOf(links.count) ?? 0, runId: textOf(links.run_id) },
      otherSubjects: { count: numberOf(others.count) ?? 0, runId: textOf(others.run_id) },
      ended: (await sql.rows(ENDED, [JSON.stringify(named)])) as unknown[] as EndedRun[],
    };
  });
  const open = rules["open-quarantine"] === undefined ? 0 : (await openQuarantine(lake)).rows;
  return { ...facts, openQuarantine: open };
}
