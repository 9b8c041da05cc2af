import {
  ActivityFailure,
  CancellationScope,
  continueAsNew,
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
import { runId as makeRunId } from "../../domain/run.js";
import { TASK_TIMEOUT } from "../../domain/task-timeout.js";
import { unlessRunning } from "../child-start.js";
import {
  EVENTS_PAUSE_MS,
  FOLLOW_UP_FIRST_LOOK_MS,
  FOLLOW_UP_MOST_LOOK_MS,
  HEARTBEATING,
} from "../policies.js";
import { runLog } from "../run-log.js";
import { sync } from "../sync/sync.js";
import { followUpAsked } from "./messages.js";

const { planFollowUp, dropFollowUp } = proxyActivities<Activities>(HEARTBEATING);

/**
 * Reads changed bank links again, one run at a time: what changes while a run reads them asks for one more run after
 * it, however many webhooks say so. It ends when nothing is asked for.
 */
export async function followUpSync({ scope }: { readonly scope: string }): Promise<void> {
  let asked = true;
  let look = FOLLOW_UP_FIRST_LOOK_MS;
  setHandler(followUpAsked, () => {
    asked = true;
  });
  for (;;) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof followUpSync>({ scope });
    asked = false;
    const startedAt = new Date();
    const runId = makeRunId("sync", startedAt, uuid4());
    try {
      const { job, waiting } = await planFollowUp({ scope, runId });
      if (job !== null && (await follow(job, runId, startedAt))) {
        look = FOLLOW_UP_FIRST_LOOK_MS;
      } else if (waiting > 0 || job !== null) {
        // Whatever is asked meanwhile is taken at the next look.
        await sleep(look);
        look = Math.min(FOLLOW_UP_MOST_LOOK_MS, 2 * look);
      } else if (!asked) return;
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancelled()) throw error;
      runLog.warn(
        { error: error.cause?.message },
        "bank links can't be followed up now; they stay asked for and are tried again",
      );
      await sleep(EVENTS_PAUSE_MS);
    }
  }
}

/** Whether this workflow itself is to end: a run that it follows may be cancelled without it. */
function isCancelled(): boolean {
  return CancellationScope.current().consideredCancelled;
}

/** Runs a planned sync to its end; false where a run of the same job is going on. */
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
  // How it ended stands in `runs`; the next night reads what it could not.
  await handle?.result().catch((error: unknown) => {
    if (isCancelled()) throw error;
  });
  return handle !== undefined;
}
