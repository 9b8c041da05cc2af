import { runningRun } from "../session/cancel-run.js";
import { runJob } from "../session/run-job.js";
import { exitCodeOfRun } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { jobRunOf, kindOf } from "./kinds.js";
import { noRun, showRun } from "./show.js";
import { findRun, withRunsView } from "./view.js";

/**
 * Follows a run to its end, or shows one that has ended; the exit code is that of the run. In embedded mode it works
 * on the run meanwhile, as the run's own command would.
 *
 * @throws InputError where there is none of that id.
 */
export async function watchRun(terminal: Terminal, id: string, json: boolean): Promise<number> {
  if (kindOf(id) === undefined) throw noRun(id);
  const { ended, running } = await withRunsView(terminal, (view) => findRun(view, id));
  if (ended !== undefined) {
    await showRun(terminal, id, json);
    return exitCodeOfRun(ended, false);
  }
  const workflowId = running?.workflowId ?? "";
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
