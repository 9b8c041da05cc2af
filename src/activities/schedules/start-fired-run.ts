import { activityInfo, Context } from "@temporalio/activity";
import type { FiredRun, StartedFiring } from "../../domain/schedules/scheduled-run.js";
import type { ScheduledJob } from "../../intake/schedules/scheduled-job.js";
import { startScheduled } from "../../intake/schedules/start-scheduled.js";
import { withHeartbeat } from "../heartbeat.js";
import type { ScheduleDependencies } from "./dependencies.js";

interface StartFiredRunInput {
  readonly scope: string;
  readonly job: ScheduledJob;
  readonly run: FiredRun;
}

/** Starts the run that a schedule has fired, or joins the one of the same job that is going on. @throws InputError */
export async function startFiredRun(
  { lake, sealed, api, asker }: ScheduleDependencies,
  { scope, job, run }: StartFiredRunInput,
): Promise<StartedFiring> {
  return withHeartbeat(async () => {
    const { client } = Context.current();
    const { taskQueue } = activityInfo();
    const place = { client, scope, taskQueue, store: lake.store, sealed, api, asker };
    const { handle, runId } = await startScheduled(place, job, run);
    const found = await handle.describe();
    if (found.memo?.runId !== runId)
      throw new Error(`${runId} has ended, and another run of its job has begun`);
    const execution = found.raw.workflowExecutionInfo?.firstRunId || found.runId;
    return { workflowId: handle.workflowId, execution, runId };
  });
}
