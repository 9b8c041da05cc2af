import type { AnyJob } from "../../jobs/job.js";
import { cancelRun } from "../session/cancel-run.js";
import type { Terminal } from "../terminal/terminal.js";
import { bulkRun } from "./bulk-run.js";

/** Cancels a run of a bulk job, or ends it where it can't be cancelled; the exit code. @throws InputError */
export async function cancelBulk(
  terminal: Terminal,
  job: AnyJob,
  runId: string,
  json: boolean,
): Promise<number> {
  return cancelRun(terminal, json, {
    runId,
    runOf: (start) => bulkRun(job, start),
    // What a job with an effect has sent is known by its staging alone: the next run continues it.
    cleanUp: (store) => async () => {
      if (!job.effect) await store.deletePrefix(`_staging/${runId}/`);
    },
  });
}
