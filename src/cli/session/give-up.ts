import { setTimeout as sleep } from "node:timers/promises";
import { type Client, WorkflowNotFoundError } from "@temporalio/client";
import { describeRunning } from "../../temporal/running-workflows.js";
import type { StartedRun } from "./start-or-join.js";

/** How long a run has to end as it should: its row is written, its staging deleted. */
const CANCEL_MS = 30_000;
const LOOK_EVERY_MS = 250;

/**
 * Gives up a run that is going on: cancels it, and terminates it where that does not end it, be it that no worker is
 * there or that its workflow can't go on. `cleanUp` then takes away what a cancelled run takes away itself.
 */
export async function giveUpRun(
  client: Client,
  run: StartedRun,
  cleanUp: (runId: string) => Promise<void>,
  cancelMs = CANCEL_MS,
): Promise<void> {
  const { handle, runId } = run;
  const running = await describeRunning(client, handle.workflowId);
  if (running?.memo?.runId !== runId) return;
  // The same job may be started anew at any time: only this run and what it continues as are meant.
  const firstExecutionRunId = running.raw.workflowExecutionInfo?.firstRunId || running.runId;
  const given = client.workflow.getHandle(handle.workflowId, undefined, { firstExecutionRunId });
  const going = async () => (await describeRunning(client, handle.workflowId))?.memo?.runId === runId;
  const since = Date.now();
  await unlessEnded(given.cancel());
  while (await going()) {
    if (Date.now() - since > cancelMs) {
      await unlessEnded(given.terminate("given up by its user; it did not end when it was cancelled"));
      await cleanUp(runId);
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** It may end at any time by itself. */
async function unlessEnded(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}
