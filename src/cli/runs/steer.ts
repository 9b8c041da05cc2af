import { InputError } from "../../domain/failures.js";
import { isRunId } from "../../domain/run.js";
import { JOBS } from "../../jobs/index.js";
import { cancelBulk, retryBulk } from "../bulk/steer.js";
import { retryBatch, steerBatch } from "../onboarding/batches.js";
import type { BatchFlags } from "../onboarding/flags.js";
import { cancelSync } from "../sync/cancel.js";
import { retrySync } from "../sync/retry.js";
import type { Terminal } from "../terminal/terminal.js";
import { batchOf } from "./kinds.js";
import { findRun, withRunsView } from "./view.js";

/** Options of every retry; those of a batch have no meaning for other jobs. */
export interface RetryFlags extends BatchFlags {
  readonly signKey?: string;
}

/**
 * Ends a run, or a batch's run, with what it has done. Returns the exit code.
 * @throws InputError where it doesn't run.
 */
export async function cancelRun(terminal: Terminal, id: string, json: boolean): Promise<number> {
  if (isRunId("sync", id)) return cancelSync(terminal, id, json);
  const job = JOBS.find(({ kind }) => isRunId(kind, id));
  if (job !== undefined) return cancelBulk(terminal, job, id, json);
  return steerBatch(terminal, "cancel", await batchNamed(terminal, id), json);
}

/** Runs again what failed in a run, or in a batch. Returns the exit code. @throws InputError */
export async function retryRun(terminal: Terminal, id: string, flags: RetryFlags): Promise<number> {
  if (isRunId("sync", id)) return retrySync(terminal, id, flags);
  const job = JOBS.find(({ kind }) => isRunId(kind, id));
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
