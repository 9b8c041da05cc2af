import type { Finding, Run } from "../../domain/run.js";
import { JOBS } from "../../jobs/index.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { LATEST_OF_A_LINE } from "../../lake/tables/onboardings.js";
import { IS_TIMELY } from "../../lake/tables/runs.js";
import { type RunRow, runOfRow } from "./ended-runs.js";
import { findingsOf } from "./findings.js";

/** A run that `status` and the board show. */
export interface LatestRun extends Run {
  /** Whether it failed, as a whole or in part, and nothing since has made that good. */
  readonly is_open: boolean;
  /** What went wrong in it. */
  readonly findings: readonly Finding[];
}

export function isMadeGood({ status, is_open }: Pick<LatestRun, "status" | "is_open">): boolean {
  return !is_open && (status === "failed" || status === "completed_with_failures");
}

/** How many runs `status` shows. */
const MOST_LATEST = 20;

/** Kinds that change something: a later run with other rows makes nothing good. */
const EFFECTS = ["onboard", ...JOBS.filter(({ effect }) => effect).map(({ kind }) => kind)];

/**
 * SQL of the one rule for an open problem. A run that failed has one until a later run stands for it: one of the same
 * schedule or job, its retry, or one of its kind that got further, with no fewer users. A run that went through has one
 * while something that failed in it is there and has not gone well since: a link, a user, a row of a batch or a file.
 */
const LATEST = `
  with recent as (
    select *, reason is distinct from 'some_failed' as is_cut from runs
    where ${IS_TIMELY} and started_at >= least(
      now() - interval 30 days, (select max(started_at) from runs where ${IS_TIMELY}))
  ), bad as (
    from recent as run where status in ('failed', 'completed_with_failures') and not exists (
      from recent as later
      where later.kind = run.kind and later.started_at > run.started_at and later.status <> 'cancelled' and (
        later.schedule = run.schedule or later.job_id = nullif(run.job_id, '') or (later.options::json ->> 'retryOf') = run.run_id
        or (run.kind <> 'sync' and run.schedule is null and later.schedule is null)
        or (run.kind not in (${EFFECTS.map(sqlText).join(", ")}) and later.users >= run.users
          and if(run.is_cut, later.status like 'completed%', run.kind <> 'sync' and later.status = 'completed'))
      )
    )
  ), fresh as materialized (from link_freshness
  ), still_failed as (
    select run_id as id from link_syncs semi join (from fresh where last_status = 'failed') using (link_id)
    where status = 'failed'
    union all
    select run_id from run_failures where stream is null
      or not exists (from fresh where fp_id = owner and last_at > failed_at and last_run_id <> run_id and last_status <> 'failed')
    union all
    select batch_id from (from onboardings ${LATEST_OF_A_LINE})
    where status in ('invalid', 'failed', 'error', 'none', 'expired_no_response', 'cancelled')
  )
  select * exclude (is_cut), run_id in (select run_id from bad) and (
      is_cut or run_id in (from still_failed) or job_id in (from still_failed)
      -- Invalid rows of a file are no failures, and neither are bad rows of an answer.
      or (kind not in ('sync', 'onboard') and coalesce(failed, 0) = 0)
      or (quarantined > 0 and (select arg_max(quarantine_open, finished_at) from recent) > 0)
    ) as is_open
  from recent
  qualify is_open or row_number() over (partition by kind, schedule order by started_at desc) = 1
  order by started_at desc limit ${MOST_LATEST}`;

/** Gives the newest run of each kind and schedule of thirty days, and those with an open problem; the newest of all, however old it is. */
export async function latestRuns(query: LakeQuery): Promise<LatestRun[]> {
  const rows = await rowsOf<RunRow & Pick<LatestRun, "is_open">>(query, LATEST);
  const latest: LatestRun[] = [];
  for (const row of rows) {
    const run = runOfRow(row);
    latest.push({ ...run, is_open: row.is_open, findings: await findingsOf(query, run) });
  }
  return latest;
}
