import { hash } from "node:crypto";
import { activityInfo, Context } from "@temporalio/activity";
import { SHORT_RETRY, triesOf } from "../../domain/backoff.js";
import { HOOK_WORKFLOW, type Hook, type HookSettings } from "../../domain/hook-settings.js";
import { type HookCall, hooksOfRun, type JudgedRun } from "../../domain/hooks/judge.js";
import { type HookAbout, type HookDelivery, hookWorkflowId } from "../../domain/hooks/message.js";
import { scopeOfQueue } from "../../domain/run.js";
import type { Lake } from "../../lake/lake.js";
import { readTables } from "../../lake/query/query-views.js";
import { runs } from "../../lake/tables/runs.js";
import { startOnce } from "../../temporal/running-workflows.js";
import type { Dependencies } from "../dependencies.js";

export interface HookDependencies extends Dependencies {
  /** What this worker's settings say of hooks; left out: there are none. */
  readonly hooks?: HookSettings | undefined;
}

const JUDGED = `
  select kind, schedule, status as outcome, (
      select arg_max(status, finished_at) from runs as earlier
      where earlier.finished_at < own.finished_at and status <> 'cancelled' and earlier.kind = own.kind
        and earlier.schedule is not distinct from own.schedule
        and (own.schedule is not null or earlier.job_id = own.job_id)
    ) as previous
  from runs as own where run_id = $1`;

/** Calls the hooks of a run that has its row. */
export async function callHooks({ hooks, lake, log }: HookDependencies, runId: string): Promise<void> {
  if (hooks === undefined || hooks.hooks.length === 0) return;
  const { taskQueue, attempt } = activityInfo();
  try {
    const run = await judgedRun(lake, runId);
    if (run === undefined) return;
    const { client } = Context.current();
    await startDeliveries(client, taskQueue, hooksOfRun(hooks.hooks, run), { runId, schedule: run.schedule });
  } catch (error) {
    if (attempt < triesOf(SHORT_RETRY)) throw error;
    log.error(
      { run_id: runId, err: error },
      "the hooks of a run could not be called, and are not tried again",
    );
  }
}

/** Reads a run, and how the one of its job before it ended; undefined where the lake lacks it. */
export async function judgedRun(lake: Pick<Lake, "table" | "store" | "duckdb">, runId: string) {
  const [row] = await readTables(lake, [runs], (sql) => sql.rows(JUDGED, [runId]));
  return row as JudgedRun | undefined;
}

/** Names a hook in histories by its target, which is a secret. */
export function hookKey({ webhook, command }: Pick<Hook, "webhook" | "command">): string {
  return hash("sha256", JSON.stringify(webhook === undefined ? { command } : { webhook })).slice(0, 16);
}

/** Starts a workflow for each hook, once. */
export async function startDeliveries(
  client: Context["client"],
  taskQueue: string,
  calls: readonly HookCall[],
  about: HookAbout,
): Promise<void> {
  for (const { hook, event } of calls) {
    const delivery: HookDelivery = { hook: hookKey(hook), event, ...about };
    const workflowId = hookWorkflowId(scopeOfQueue(taskQueue), delivery);
    await startOnce(client, HOOK_WORKFLOW, { workflowId, taskQueue, args: [delivery] });
  }
}
