import { activityInfo, Context, cancellationSignal } from "@temporalio/activity";
import type { Asker } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import type { RunStatus } from "../../domain/run.js";
import { type FiredRun, type StartedFiring, scheduleId } from "../../domain/schedules/scheduled-run.js";
import type { ScheduledJob } from "../../intake/schedules/scheduled-job.js";
import { intervalAfter } from "../../intake/schedules/schedules.js";
import { startScheduled } from "../../intake/schedules/start-scheduled.js";
import { readBinding } from "../../lake/service-binding.js";
import type { Dependencies } from "../dependencies.js";
import { writeRunRow } from "../run-row.js";

export interface ScheduleDependencies extends Dependencies {
  /** In whose name this worker starts runs. */
  readonly asker: Asker;
}

interface StartFiredRunInput {
  readonly scope: string;
  /** Id of the lake that the schedule is for. */
  readonly lake: string;
  readonly job: ScheduledJob;
  readonly run: FiredRun;
}

/** Starts the run that a schedule has fired, or joins the job's run that is still running. @throws InputError */
export async function startFiredRun(
  { lake, sealed, api, asker }: ScheduleDependencies,
  { scope, lake: id, job, run }: StartFiredRunInput,
): Promise<StartedFiring> {
  const { address } = lake.store;
  const found = (await readBinding(lake.store))?.lake;
  if (found !== id)
    throw new InputError(
      `The schedule is for another lake than the one that is in ${address} now. Nothing was started. ` +
        "Mount its lake; if that is gone for good, create the schedule again with `nightledger schedule create`.",
    );
  const { client } = Context.current();
  const { taskQueue } = activityInfo();
  const own = { id, address, mayBeNew: true };
  const place = { client, scope, taskQueue, lake: own, store: lake.store, sealed, api, asker };
  const { schedule, dueAt } = run.firing;
  const everyMs = await intervalAfter(client, scheduleId(scope, schedule), dueAt);
  const firing = { ...run.firing, ...(everyMs !== undefined && { everyMs }) };
  const { handle, runId } = await startScheduled(place, job, { ...run, firing });
  const started = await handle.describe();
  if (started.memo?.runId !== runId)
    throw new Error(`${runId} has ended, and another run of its job has begun`);
  const execution = started.raw.workflowExecutionInfo?.firstRunId || started.runId;
  return { workflowId: handle.workflowId, execution, runId };
}

/** Records, in `runs` and in the log, why the run of a firing did not begin. */
export async function recordFailedFiring(
  deps: ScheduleDependencies,
  { job, run, message }: Pick<StartFiredRunInput, "job" | "run"> & { readonly message: string },
): Promise<void> {
  const { options } = job;
  const why = { reason: "not_begun", message } as const;
  const row = { ...run, jobId: "", kind: job.kind, status: "failed", options, why } as const;
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
