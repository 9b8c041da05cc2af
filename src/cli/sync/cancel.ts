import type { Client } from "@temporalio/client";
import { InputError } from "../../domain/failures.js";
import { giveUpRun } from "../session/give-up.js";
import { runJob } from "../session/run-job.js";
import { joinRun, type StartedRun } from "../session/start-or-join.js";
import type { Terminal } from "../terminal/terminal.js";
import { dropStagingOf } from "./start.js";
import { syncRun } from "./sync-run.js";

/** Cancels a sync that is going on, or ends it where it can't be cancelled; the exit code. @throws InputError */
export async function cancelSync(terminal: Terminal, runId: string, json: boolean): Promise<number> {
  const notRunning = new InputError(
    `run ${runId} is not running, so there is nothing to cancel. Nothing was changed.`,
  );
  return runJob(
    terminal,
    { json },
    {
      async plan({ keys, store, taskQueue }) {
        // Where HOME has no keys yet, nothing was ever run: it is left as it is.
        if (keys === undefined) throw notRunning;
        const run = syncRun(terminal, async ({ temporal: { client } }) => {
          const running = await runningSync(client, taskQueue, runId);
          if (running === undefined) throw notRunning;
          await giveUpRun(client, running, dropStagingOf(store));
          return running;
        });
        return { pingedUser: undefined, run };
      },
    },
  );
}

/** The run of this id, bound to its execution; undefined where it is not going on. */
async function runningSync(
  client: Client,
  taskQueue: string,
  runId: string,
): Promise<StartedRun | undefined> {
  const query = `ExecutionStatus = "Running" AND WorkflowType = "sync" AND TaskQueue = "${taskQueue}"`;
  for await (const { workflowId, memo, runId: execution } of client.workflow.list({ query })) {
    if (memo?.runId !== runId) continue;
    const running = await joinRun(client, workflowId);
    if (running?.runId !== runId) return undefined;
    return { ...running, handle: client.workflow.getHandle(workflowId, execution) };
  }
  return undefined;
}
