import type { Client } from "@temporalio/client";
import { InputError } from "../../domain/failures.js";
import { joinRun, type StartedRun } from "../../intake/start-or-join.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { giveUpRun } from "../../temporal/give-up.js";
import { runningRuns } from "../../temporal/running-workflows.js";
import type { Terminal } from "../terminal/terminal.js";
import type { JobRun } from "./job-run.js";
import type { JobSession } from "./job-session.js";
import { runJob } from "./run-job.js";

/** A run to cancel, of any job. */
interface CancelledRun<Progress, Result> {
  readonly runId: string;
  /** Makes the run as a command sees it. */
  runOf(start: (session: JobSession) => Promise<StartedRun>): JobRun<Progress, Result>;
  /** Removes what a cancelled run removes itself, for a run that had to be terminated. */
  cleanUp(store: ObjectStore): (runId: string) => Promise<void>;
}

/**
 * Cancels a run in progress, or terminates it where it can't be cancelled. Returns the exit code.
 * @throws InputError
 */
export async function cancelRun<Progress, Result>(
  terminal: Terminal,
  json: boolean,
  { runId, runOf, cleanUp }: CancelledRun<Progress, Result>,
): Promise<number> {
  const notRunning = new InputError(
    `run ${runId} is not running, so there is nothing to cancel. Nothing was changed.`,
  );
  return runJob(
    terminal,
    { json },
    {
      async plan({ keys, store, taskQueue }) {
        // Without keys in HOME, nothing has ever run there.
        if (keys === undefined) throw notRunning;
        const run = runOf(async ({ temporal: { client } }) => {
          const running = await runningRun(client, taskQueue, runId);
          if (running === undefined) throw notRunning;
          await giveUpRun(client, running, cleanUp(store));
          return running;
        });
        return { pingedUser: undefined, run };
      },
    },
  );
}

/** Finds the run of an id, bound to its execution; undefined where it is not running. */
export async function runningRun(
  client: Client,
  taskQueue: string,
  runId: string,
): Promise<StartedRun | undefined> {
  const listed = (await runningRuns(client, taskQueue)).find((run) => run.runId === runId);
  const running = listed && (await joinRun(client, listed.workflowId));
  if (listed === undefined || running?.runId !== runId) return undefined;
  return { ...running, handle: client.workflow.getHandle(listed.workflowId, listed.execution) };
}
