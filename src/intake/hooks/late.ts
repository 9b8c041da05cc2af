import type { Client } from "@temporalio/client";
import { type HookJob, isLate } from "../../domain/hooks/judge.js";
import { scopeOfQueue, TASK_TIMEOUT } from "../../domain/run.js";
import { scheduleId } from "../../domain/schedules/scheduled-run.js";
import type { Lake } from "../../lake/lake.js";
import { readTables } from "../../lake/query/query-views.js";
import { runs } from "../../lake/tables/runs.js";
import { firstDueTime, unpausedSchedules } from "../schedules/schedules.js";

interface LateSchedule extends HookJob {
  readonly schedule: string;
  /** The last of its runs that ended; null for none. */
  readonly runId: string | null;
  /** ISO instant at which that ended, or the schedule was created. */
  readonly since: string;
}

const LAST_RUNS = `
  select schedule, arg_max(run_id, finished_at) as "runId", epoch_ms(max(finished_at))::double as "endedAt"
  from runs where schedule is not null group by schedule`;

interface LastRun {
  readonly schedule: string;
  readonly runId: string;
  readonly endedAt: number;
}

/** Starts the workflow that looks for late schedules, unless it is running. */
export async function startLateWatch(client: Client, queue: string): Promise<void> {
  await client.workflow.start("watchLate", {
    workflowId: `hooks/${scopeOfQueue(queue)}/late`,
    taskQueue: queue,
    args: [{ told: {} }],
    workflowIdConflictPolicy: "USE_EXISTING",
    workflowTaskTimeout: TASK_TIMEOUT,
  });
}

/** Finds the schedules of a scope, not paused ones, none of whose runs has ended for too long. */
export async function lateSchedules(
  client: Client,
  { scope, lake }: { readonly scope: string; readonly lake: Lake },
  lateMs: number,
  now = Date.now(),
): Promise<LateSchedule[]> {
  const rows = await readTables(lake, [runs], async (sql) => (await sql.rows(LAST_RUNS)) as unknown[]);
  const last = new Map((rows as LastRun[]).map((row) => [row.schedule, row]));
  const late: LateSchedule[] = [];
  for (const { name: schedule, kind, beganAt } of await unpausedSchedules(client, scope)) {
    const { runId = null, endedAt = 0 } = last.get(schedule) ?? {};
    const from = Math.max(endedAt, beganAt);
    const dueAt = now > from ? await firstDueTime(client, scheduleId(scope, schedule), from, now) : null;
    if (isLate(from, dueAt, lateMs, now))
      late.push({ kind, schedule, runId, since: new Date(from).toISOString() });
  }
  return late;
}
