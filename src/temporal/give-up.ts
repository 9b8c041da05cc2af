import { setTimeout as sleep } from "node:timers/promises";
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from "@temporalio/client";
import { describeRunning, pendingFailuresOf } from "./running-workflows.js";

/** So long a cancelled run may make no progress towards its end. */
const CANCEL_MS = 30_000;
const LOOK_EVERY_MS = 250;

interface GiveUpOptions {
  readonly cancelMs?: number;
  /** Stops waiting. */
  readonly signal?: AbortSignal;
}

/**
 * Cancels a running job, and terminates it where it makes no progress towards its end: no worker runs, a step keeps failing,
 * its workflow is stuck. `cleanUp` then does what a cancelled run does itself.
 */
export async function giveUpRun(
  client: Client,
  { handle, runId }: { readonly handle: WorkflowHandle; readonly runId: string },
  cleanUp: (runId: string) => Promise<void>,
  { cancelMs = CANCEL_MS, signal }: GiveUpOptions = {},
): Promise<void> {
  const ours = async () => {
    const running = await describeRunning(client, handle.workflowId);
    return running?.memo?.runId === runId ? running : undefined;
  };
  const first = await ours();
  if (first === undefined) return;
  // The same job may be started again at any time.
  const firstExecutionRunId = first.raw.workflowExecutionInfo?.firstRunId || first.runId;
  const run = client.workflow.getHandle(handle.workflowId, undefined, { firstExecutionRunId });
  await unlessEnded(run.cancel());
  let seen = first;
  let movedAt = Date.now();
  for (let now = await ours(); now !== undefined && !signal?.aborted; now = await ours()) {
    if (await hasMoved(client, seen, now)) movedAt = Date.now();
    seen = now;
    if (Date.now() - movedAt > cancelMs) {
      await unlessEnded(run.terminate("given up by its user; it did not end when it was cancelled"));
      await cleanUp(runId);
      return;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether a run made progress. While a step fails, events alone are none. */
async function hasMoved(
  client: Client,
  before: WorkflowExecutionDescription,
  now: WorkflowExecutionDescription,
): Promise<boolean> {
  if (now.runId === before.runId && now.historyLength === before.historyLength) return false;
  return (await pendingFailuresOf(client, now)).length === 0;
}

async function unlessEnded(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}
