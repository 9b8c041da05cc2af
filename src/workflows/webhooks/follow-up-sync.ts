import {
  ActivityFailure,
  CancellationScope,
  continueAsNew,
  defineSignal,
  ParentClosePolicy,
  proxyActivities,
  setHandler,
  sleep,
  startChild,
  uuid4,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { PlannedSync } from "../../activities/webhooks/follow-up.js";
import { runId as makeRunId, TASK_TIMEOUT } from "../../domain/run.js";
import { FOLLOW_UP_SIGNAL } from "../../domain/webhooks/messages.js";
import {
  EVENTS_PAUSE_MS,
  FOLLOW_UP_FIRST_LOOK_MS,
  FOLLOW_UP_MOST_LOOK_MS,
  HEARTBEATING,
} from "../policies.js";
import { runLog } from "../run-details.js";
import { sync } from "../sync/sync.js";

const { planFollowUp, dropFollowUp } = proxyActivities<Activities>(HEARTBEATING);

/** One run at a time, until no follow-up is left. */
export async function followUpSync({ scope }: { readonly scope: string }): Promise<void> {
  let isRequested = true;
  let pollMs = FOLLOW_UP_FIRST_LOOK_MS;
  setHandler(defineSignal(FOLLOW_UP_SIGNAL), () => {
    isRequested = true;
  });
  for (;;) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof followUpSync>({ scope });
    isRequested = false;
    const startedAt = new Date();
    const runId = makeRunId("sync", startedAt, uuid4());
    try {
      const { job, waiting } = await planFollowUp({ scope, runId });
      if (job !== null && (await follow(job, runId, startedAt))) {
        pollMs = FOLLOW_UP_FIRST_LOOK_MS;
      } else if (waiting > 0 || job !== null) {
        await sleep(pollMs);
        pollMs = Math.min(FOLLOW_UP_MOST_LOOK_MS, 2 * pollMs);
      } else if (!isRequested) return;
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancelled()) throw error;
      runLog.warn(
        { error: error.cause?.message },
        "changed bank links can't be read now; they stay requested, and the next attempt follows soon",
      );
      await sleep(EVENTS_PAUSE_MS);
    }
  }
}

/** Not only the run that it waits for. */
function isCancelled(): boolean {
  return CancellationScope.current().consideredCancelled;
}

/** False where the same job is already running. */
async function follow(job: PlannedSync, runId: string, startedAt: Date): Promise<boolean> {
  const { workflowId, jobId, roster, options } = job;
  const handle = await unlessRunning(
    startChild(sync, {
      workflowId,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowTaskTimeout: TASK_TIMEOUT,
      memo: { runId },
      args: [{ runId, jobId, startedAt: startedAt.toISOString(), roster, options }],
    }),
  );
  await dropFollowUp({ runId, started: handle !== undefined });
  // Its result is in `runs`; the next nightly run reads what it could not.
  await handle?.result().catch((error: unknown) => {
    if (isCancelled()) throw error;
  });
  return handle !== undefined;
}

/** Undefined where it is running already. */
async function unlessRunning<R>(start: Promise<R>): Promise<R | undefined> {
  try {
    return await start;
  } catch (error) {
    if (error instanceof Error && error.name === "WorkflowExecutionAlreadyStartedError") return undefined;
    throw error;
  }
}
