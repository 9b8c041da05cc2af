import type { Client } from "@temporalio/client";
import type { InputError } from "../../domain/failures.js";
import { joinRun, runningRuns, type StartedRun } from "../../temporal/running-workflows.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Job } from "./kind.js";
import { runJob } from "./shell.js";

/** Follows a run in progress that `find` finds, and may steer; the exit code. @throws `missing` where it finds none. */
export function followFound(
  terminal: Terminal,
  json: boolean,
  missing: InputError,
  find: (session: JobSession) => Promise<StartedRun | undefined>,
  job: Omit<Job, "start">,
): Promise<number> {
  return runJob(
    terminal,
    { json },
    {
      async plan({ keys }) {
        // Without keys in HOME nothing was ever run there.
        if (keys === undefined) throw missing;
        return {
          ...job,
          async start(session) {
            const found = await find(session);
            if (found === undefined) throw missing;
            return found;
          },
        };
      },
    },
  );
}

/** The run of this id, bound to its execution; undefined where it is not running. */
export async function runningRun(
  client: Client,
  taskQueue: string,
  runId: string,
): Promise<StartedRun | undefined> {
  const listed = (await runningRuns(client, taskQueue)).find((run) => run.runId === runId);
  const running = listed && (await joinRun(client, listed.handle.workflowId));
  return running?.runId === runId ? listed : undefined;
}
