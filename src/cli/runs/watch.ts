import type { RunStatus } from "../../domain/run.js";
import { runs } from "../../lake/tables/runs.js";
import { runningRuns } from "../../temporal/running-workflows.js";
import { withStoreQuery } from "../lake/query.js";
import { runningRun } from "../session/cancel-run.js";
import { runJob } from "../session/run-job.js";
import { exitCodeOfRun } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { endedRun } from "./ended-runs.js";
import { jobRunOf, kindOf } from "./kinds.js";
import { noRun, showRun } from "./show.js";
import { withRunsView } from "./view.js";

/**
 * Follows a run to its end, or shows one that has ended; the exit code is that of the run. In embedded mode it works
 * on the run meanwhile, as the run's own command would.
 *
 * @throws InputError where there is none of that id.
 */
export async function watchRun(terminal: Terminal, id: string, json: boolean): Promise<number> {
  if (kindOf(id) === undefined) throw noRun(id);
  const { status, workflowId } = await lookUp(terminal, id);
  if (status !== undefined) {
    await showRun(terminal, id, json);
    return exitCodeOfRun({ status }, false);
  }
  return runJob(
    terminal,
    { json },
    {
      async plan({ taskQueue, keys }) {
        if (keys === undefined) throw noRun(id);
        const run = jobRunOf(terminal, { runId: id, workflowId }, async ({ temporal: { client } }) => {
          const joined = await runningRun(client, taskQueue, id);
          if (joined === undefined) throw noRun(id);
          return joined;
        });
        return { pingedUser: undefined, run };
      },
    },
  );
}

/** How a run ended, or the workflow that it is; neither where Temporal is not up. */
async function lookUp(
  terminal: Terminal,
  id: string,
): Promise<{ readonly status: RunStatus | undefined; readonly workflowId: string }> {
  return withRunsView(terminal, async ({ client, preflight: { store, taskQueue } }) => {
    const ended = await withStoreQuery(store, (query) => endedRun(query, id), { tables: [runs] });
    const going = client === undefined ? [] : await runningRuns(client, taskQueue);
    const workflowId = going.find(({ runId }) => runId === id)?.workflowId ?? "";
    return { status: ended?.status, workflowId };
  });
}
