import { InputError } from "../../domain/failures.js";
import { isRunId } from "../../domain/run.js";
import { TRY_NOW } from "../../domain/waiting.js";
import { dropStagingOf } from "../../intake/sync/start.js";
import { JOBS } from "../../jobs/index.js";
import { giveUpRun } from "../../temporal/give-up.js";
import { signalRunning, tryCustomersNow } from "../../temporal/running-workflows.js";
import { retryBulk } from "../bulk/steer.js";
import { retryBatch, steerBatch } from "../onboarding/batches.js";
import type { BatchFlags } from "../onboarding/flags.js";
import { followFound, runningRun } from "../session/found-run.js";
import { retrySync } from "../sync/retry.js";
import { exitCodeOfRun } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { batchOf, jobRunOf, kindOf } from "./kinds.js";
import { noRun, showRun } from "./show.js";
import { findRun, withRunsView } from "./view.js";

/** Options of every retry; those of a batch have no meaning for other jobs, nor the inputs of one kind for others. */
export interface RetryFlags extends BatchFlags {
  readonly sendUnknown?: boolean;
  readonly [input: string]: unknown;
}

/**
 * Follows a run to its end, or shows one that has ended; the exit code is that of the run. In embedded mode it works
 * on the run meanwhile, as the run's own command would. `continues` has the run try now all that waits for its next try.
 *
 * @throws InputError where there is none of that id.
 */
export async function watchRun(
  terminal: Terminal,
  id: string,
  { json, continues }: { readonly json: boolean; readonly continues: boolean },
): Promise<number> {
  const kind = kindOf(id);
  if (kind === undefined) throw noRun(id);
  const { ended, running } = await withRunsView(terminal, (view) => findRun(view, id));
  if (ended !== undefined) {
    await showRun(terminal, id, json);
    return exitCodeOfRun(ended, false);
  }
  return followFound(
    terminal,
    json,
    noRun(id),
    async ({ temporal: { client }, preflight: { taskQueue } }) => {
      const found = await runningRun(client, taskQueue, id);
      if (found === undefined || !continues) return found;
      if (kind === "onboard") await tryCustomersNow(client, taskQueue);
      else await signalRunning(client, found.handle.workflowId, TRY_NOW);
      return found;
    },
    (start) => jobRunOf(terminal, { runId: id, workflowId: running?.workflowId ?? "" }, start),
  );
}

/**
 * Cancels a run, or a batch's run, with what it has done, or terminates it where it can't be cancelled; the exit code.
 *
 * @throws InputError where it doesn't run.
 */
export async function cancelRun(terminal: Terminal, id: string, json: boolean): Promise<number> {
  const kind = kindOf(id);
  if (kind === undefined || kind === "onboard")
    return steerBatch(terminal, "cancel", await batchNamed(terminal, id), json);
  // Only the staging of a job with an effect knows what it has sent: the next run continues it.
  const isKept = JOBS.some((job) => job.effect && job.kind === kind);
  const missing = new InputError(
    `run ${id} is not running, so there is nothing to cancel. Nothing was changed.`,
  );
  return followFound(
    terminal,
    json,
    missing,
    async ({ temporal: { client }, preflight: { store, taskQueue } }) => {
      const running = await runningRun(client, taskQueue, id);
      if (running === undefined) return undefined;
      terminal.say(`cancelling run ${id}`);
      await giveUpRun(client, running, isKept ? async () => undefined : dropStagingOf(store));
      return running;
    },
    (start) => ({ ...jobRunOf(terminal, { runId: id, workflowId: "" }, start), isNamed: true }),
  );
}

/** Runs again what failed in a run, or in a batch. Returns the exit code. @throws InputError */
export async function retryRun(terminal: Terminal, id: string, flags: RetryFlags): Promise<number> {
  const job = JOBS.find(({ kind }) => isRunId(kind, id));
  if (flags.sendUnknown && job?.isUnsure === undefined) {
    const kinds = JOBS.filter(({ isUnsure }) => isUnsure !== undefined).map(({ kind }) => kind);
    throw new InputError(
      `--send-unknown is for runs of ${kinds.join(" and ")} only. Nothing was started. Leave it out.`,
    );
  }
  const { ended } = kindOf(id) === undefined ? {} : await withRunsView(terminal, (view) => findRun(view, id));
  if (ended?.reason === "not_begun")
    throw new InputError(
      `run ${id} did not begin: ${ended.message} Nothing was started. To run it now: nightledger schedule trigger ${ended.schedule}`,
    );
  if (isRunId("sync", id)) return retrySync(terminal, id, flags);
  if (job !== undefined) return retryBulk(terminal, job, id, flags);
  return retryBatch(terminal, await batchNamed(terminal, id), flags);
}

/** Finds the batch of an id, which may be that of one of its runs. @throws InputError where no such run is known. */
async function batchNamed(terminal: Terminal, id: string): Promise<string> {
  if (!isRunId("onboard", id)) return id;
  const { ended, running } = await withRunsView(terminal, (view) => findRun(view, id));
  if (ended?.job_id != null) return ended.job_id;
  if (running !== undefined) return batchOf(running.workflowId);
  throw new InputError(
    `run ${id} is not running and is not in the table runs. Nothing was changed. Give the id of its batch instead.`,
  );
}
