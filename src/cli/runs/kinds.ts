import { InputError } from "../../domain/failures.js";
import { isRunId } from "../../domain/run.js";
import type { BatchTerms } from "../../intake/onboarding/start.js";
import { JOBS } from "../../jobs/index.js";
import { bulkKind } from "../bulk/form.js";
import { retryBulk } from "../bulk/steer.js";
import { batchOf, ONBOARD } from "../onboarding/batch-run.js";
import { retryBatch, steerBatch } from "../onboarding/batches.js";
import type { RunKind } from "../shell/kind.js";
import type { RetryFlags } from "../shell/shell.js";
import { SYNC } from "../sync/form.js";
import { retrySync } from "../sync/retry.js";
import type { Terminal } from "../terminal/terminal.js";
import { findRun } from "./view.js";

/** A kind with what steers its runs by their id. */
interface SteeredKind extends RunKind {
  /** Cancels a run in its own way; left out: as every workflow. Returns the exit code. @throws InputError */
  cancel?(terminal: Terminal, id: string, json: boolean): Promise<number>;
  /** Runs again what failed. Returns the exit code. @throws InputError */
  retry(terminal: Terminal, id: string, flags: RetryFlags): Promise<number>;
}

export const BATCHES: SteeredKind = {
  ...ONBOARD,
  cancel: async (terminal, id, json) => steerBatch(terminal, "cancel", await batchNamed(terminal, id), json),
  // The command reads the options of batches for every retry.
  retry: async (terminal, id, flags) =>
    retryBatch(terminal, await batchNamed(terminal, id), flags as RetryFlags & BatchTerms),
};

/** Every kind of run. */
export const RUN_KINDS: readonly SteeredKind[] = [
  { ...SYNC, retry: retrySync },
  BATCHES,
  ...JOBS.map((job) => ({
    ...bulkKind(job),
    retry: (terminal: Terminal, id: string, flags: RetryFlags) => retryBulk(terminal, job, id, flags),
  })),
];

export function kindNamed(kind: string): SteeredKind | undefined {
  return RUN_KINDS.find((one) => one.kind === kind);
}

/** Says of which kind of job an id is a run; undefined for what is not the id of a run. */
export function kindOf(runId: string): SteeredKind | undefined {
  return RUN_KINDS.find(({ kind }) => isRunId(kind, runId));
}

/** Finds the batch of an id, which may be that of one of its runs. @throws InputError where no such run is known. */
async function batchNamed(terminal: Terminal, id: string): Promise<string> {
  if (!isRunId("onboard", id)) return id;
  const { ended, running } = await findRun(terminal, id);
  if (ended?.job_id != null) return ended.job_id;
  if (running !== undefined) return batchOf(running.handle.workflowId);
  throw new InputError(
    `run ${id} is not running and is not in the table runs. Nothing was changed. Give the id of its batch instead.`,
  );
}
