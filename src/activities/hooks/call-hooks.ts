import { activityInfo, Context } from "@temporalio/activity";
import type { HookSettings } from "../../domain/hook-settings.js";
import { hooksOfLate, hooksOfRun, type JudgedRun } from "../../domain/hooks/judge.js";
import { scopeOfQueue } from "../../domain/run.js";
import { startDeliveries } from "../../intake/hooks/deliveries.js";
import { lateSchedules } from "../../intake/hooks/late.js";
import type { Lake } from "../../lake/lake.js";
import { readTables } from "../../lake/query/query-views.js";
import { runs } from "../../lake/tables/runs.js";
import type { Dependencies } from "../dependencies.js";

export interface HookDependencies extends Dependencies {
  /** What this worker's settings say of hooks; left out: there are none. */
  readonly hooks?: HookSettings | undefined;
}

/** Earlier runs of a job that are looked at: cancelled ones tell nothing. */
const RUNS_BEFORE = 20;

const JUDGED = `
  with own as (select * from runs where run_id = $1)
  select kind, schedule, status as outcome, coalesce((
      select list(status order by finished_at desc)[:${RUNS_BEFORE}] from runs as earlier
      where earlier.finished_at < own.finished_at and earlier.kind = own.kind
        and earlier.schedule is not distinct from own.schedule
        and (own.schedule is not null or earlier.job_id = own.job_id)
    ), []) as before
  from own`;

/** Attempts at the end of a run to call its hooks; then the run ends without them. */
const MOST_ATTEMPTS = 5;

/**
 * Starts the deliveries of a run that has its row. The activity that wrote the row calls this, so one that was killed in
 * between does it again, and what was started before is not started twice.
 */
export async function callHooks({ hooks, lake, log }: HookDependencies, runId: string): Promise<void> {
  if (hooks === undefined || hooks.hooks.length === 0) return;
  const { taskQueue, attempt } = activityInfo();
  try {
    const run = await judgedRun(lake, runId);
    const called = run === undefined ? [] : hooksOfRun(hooks.hooks, run);
    const about = { runId, schedule: run?.schedule ?? null };
    await startDeliveries(Context.current().client, scopeOfQueue(taskQueue), called, about);
  } catch (error) {
    if (attempt < MOST_ATTEMPTS) throw error;
    log.error(
      { run_id: runId, err: error },
      "the hooks of a run could not be called, and are not tried again",
    );
  }
}

function judgedRun(lake: Lake, runId: string): Promise<JudgedRun | undefined> {
  return readTables(lake, [runs], async (sql) => {
    const [row] = (await sql.rows(JUDGED, [runId])) as unknown[];
    return row as JudgedRun | undefined;
  });
}

/** By the names of late schedules the last run of each. */
type ToldLate = Readonly<Record<string, string | null>>;

/** Shortest and longest wait between two looks for late schedules. */
const LOOK_MS = { least: 1_000, most: 600_000 };

/**
 * Starts deliveries for schedules that have become late. Returns those that are late now, for the next look, and when
 * that is due; null where nobody wants to know any more.
 */
export async function findLate(
  { hooks, lake, log }: HookDependencies,
  { told }: { readonly told: ToldLate },
): Promise<{ readonly told: ToldLate; readonly waitMs: number } | null> {
  const { lateMs, hooks: own = [] } = hooks ?? {};
  if (lateMs === undefined || !own.some(({ on }) => on.includes("late"))) return null;
  const { client } = Context.current();
  const scope = scopeOfQueue(activityInfo().taskQueue);
  const found: Record<string, string | null> = {};
  for (const late of await lateSchedules(client, { scope, lake }, lateMs)) {
    const { schedule, runId, since } = late;
    if (told[schedule] !== runId) {
      log.warn({ schedule, since }, "no run of a schedule has ended for too long");
      await startDeliveries(client, scope, hooksOfLate(own, late), { runId, schedule, since });
    }
    found[schedule] = runId;
  }
  return { told: found, waitMs: Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, lateMs / 10)) };
}
