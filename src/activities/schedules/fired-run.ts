import { activityInfo, Context, cancellationSignal } from "@temporalio/activity";
import type { Asker } from "../../domain/bulk/bulk-job.js";
import type { RunStatus } from "../../domain/run.js";
import type { FiredRun, StartedFiring } from "../../domain/schedules/scheduled-run.js";
import { runKindOf, type ScheduledJob } from "../../intake/schedules/scheduled-job.js";
import { startScheduled } from "../../intake/schedules/start-scheduled.js";
import type { Dependencies } from "../dependencies.js";
import { writeRunRow } from "../run-row.js";

export interface ScheduleDependencies extends Dependencies {
  /** In whose name this worker starts runs. */
  readonly asker: Asker;
}

interface StartFiredRunInput {
  readonly scope: string;
  readonly job: ScheduledJob;
  readonly run: FiredRun;
}

/** Starts the run that a schedule has fired, or joins the job's run that is still running. @throws InputError */
export async function startFiredRun(
  { lake, sealed, api, asker }: ScheduleDependencies,
  { scope, job, run }: StartFiredRunInput,
): Promise<StartedFiring> {
  const { client } = Context.current();
  const { taskQueue } = activityInfo();
  const place = { client, scope, taskQueue, store: lake.store, sealed, api, asker };
  const { handle, runId } = await startScheduled(place, job, run);
  const found = await handle.describe();
  if (found.memo?.runId !== runId)
    throw new Error(`${runId} has ended, and another run of its job has begun`);
  const execution = found.raw.workflowExecutionInfo?.firstRunId || found.runId;
  return { workflowId: handle.workflowId, execution, runId };
}

/** Records, in `runs` and in the log, why the run of a firing did not begin. */
export async function recordFailedFiring(
  deps: ScheduleDependencies,
  { job, run, message }: Omit<StartFiredRunInput, "scope"> & { readonly message: string },
): Promise<void> {
  const { options } = job;
  const row = { ...run, jobId: "", kind: runKindOf(job), status: "failed", options, message } as const;
  await writeRunRow(deps, row);
}

/** Waits for a run to end, however long that takes; returns how it ended. */
export async function followRun(
  _: unknown,
  { workflowId, execution }: StartedFiring,
): Promise<{ readonly status: RunStatus }> {
  const { client, cancelled } = Context.current();
  const handle = client.workflow.getHandle(workflowId, execution);
  // A worker that stops must not wait for the run.
  const ended = client.withAbortSignal(cancellationSignal(), () => handle.result());
  try {
    const { status } = (await Promise.race([ended, cancelled])) as { readonly status: RunStatus };
    return { status };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "WorkflowFailedError") throw error;
    const cause = error.cause instanceof Error ? error.cause.name : "";
    return { status: /^(CancelledFailure|TerminatedFailure)$/.test(cause) ? "cancelled" : "failed" };
  } finally {
    ended.catch(() => undefined);
  }
}
