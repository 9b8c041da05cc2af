import { activityInfo, Context } from "@temporalio/activity";
import { hooksOfLate, isLate } from "../../domain/hooks/judge.js";
import { scopeOfQueue, TASK_TIMEOUT } from "../../domain/run.js";
import { scheduleId } from "../../domain/schedules/scheduled-run.js";
import { firstDueTime, unpausedSchedules } from "../../intake/schedules/schedules.js";
import type { Lake } from "../../lake/lake.js";
import { readTables } from "../../lake/query/query-views.js";
import { IS_TIMELY, runs } from "../../lake/tables/runs.js";
import { type HookDependencies, startDeliveries } from "./call-hooks.js";

export async function startLateWatch(client: Context["client"], taskQueue: string): Promise<void> {
  await client.workflow.start("watchLate", {
    workflowId: `hooks/${scopeOfQueue(taskQueue)}/late`,
    taskQueue,
    args: [{ lastRuns: {} }],
    workflowIdConflictPolicy: "USE_EXISTING",
    workflowTaskTimeout: TASK_TIMEOUT,
  });
}

/** Between two looks. */
const LOOK_MS = { least: 1_000, most: 600_000 };

interface LateLook {
  /** The last run of each late schedule, null for none: hooks were called of these. */
  readonly lastRuns: Readonly<Record<string, string | null>>;
}

/** Calls the hooks of schedules that have become late; null where no hook hears of that. */
export async function findLate(
  { hooks, lake, log }: HookDependencies,
  { lastRuns }: LateLook,
): Promise<(LateLook & { readonly waitMs: number }) | null> {
  const { lateMs, hooks: own = [] } = hooks ?? {};
  if (lateMs === undefined || !own.some(({ on }) => on.includes("late"))) return null;
  const { client } = Context.current();
  const { taskQueue } = activityInfo();
  const late = await lateSchedules(client, { scope: scopeOfQueue(taskQueue), lake }, lateMs);
  for (const { kind, ...about } of late) {
    const { schedule, runId } = about;
    if (lastRuns[schedule] === runId) continue;
    log.warn(about, "no run of a schedule has ended for too long");
    await startDeliveries(client, taskQueue, hooksOfLate(own, { kind, schedule }), about);
  }
  return {
    lastRuns: Object.fromEntries(late.map(({ schedule, runId }) => [schedule, runId])),
    waitMs: Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, lateMs / 10)),
  };
}

const LAST_RUNS = `
  select schedule, arg_max(run_id, finished_at) as "runId", epoch_ms(max(finished_at))::double as "endedAt"
  from runs where schedule is not null and ${IS_TIMELY} group by schedule`;

/** Finds the unpaused schedules of which no run has ended for too long. */
export async function lateSchedules(
  client: Context["client"],
  { scope, lake }: { readonly scope: string; readonly lake: Lake },
  lateMs: number,
  now = Date.now(),
) {
  const ended = await readTables(lake, [runs], (sql) => sql.rows(LAST_RUNS));
  const late = [];
  for (const { name: schedule, kind, beganAt } of await unpausedSchedules(client, scope)) {
    const last = ended.find((run) => run.schedule === schedule);
    const from = Math.max(Number(last?.endedAt ?? 0), beganAt);
    const dueAt = now > from ? await firstDueTime(client, scheduleId(scope, schedule), from, now) : null;
    if (!isLate(from, dueAt, lateMs, now)) continue;
    const runId = last === undefined ? null : String(last.runId);
    late.push({ kind, schedule, runId, since: new Date(from).toISOString() });
  }
  return late;
}
