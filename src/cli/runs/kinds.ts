import { InputError } from "../../domain/failures.js";
import { followWorkflowId } from "../../domain/onboarding/identity.js";
import { isRunId } from "../../domain/run.js";
import { JOBS } from "../../jobs/index.js";
import { runsOfJob } from "../bulk/steer.js";
import { batchRun } from "../onboarding/batch-run.js";
import { retryBatch, steerBatch } from "../onboarding/batches.js";
import type { BatchFlags } from "../onboarding/flags.js";
import { RETRY_ONLY, type RunKind } from "../shell/kind.js";
import type { JobRun } from "../shell/run.js";
import { SYNC } from "../sync/retry.js";
import type { Terminal } from "../terminal/terminal.js";
import { findRun } from "./view.js";

/** Runs of batches: a command may name the batch or one of its runs. */
export const ONBOARD: RunKind = {
  kind: "onboard",
  rows: "customers",
  runOf: (terminal, workflowId, join) =>
    batchRun(terminal, batchOf(workflowId), {}, join) as JobRun<unknown, unknown>,
  triedBy: followWorkflowId,
  cancel: async (terminal, id, json) => steerBatch(terminal, "cancel", await batchNamed(terminal, id), json),
  // The command reads the options of batches for every retry.
  retry: async (terminal, id, flags) =>
    retryBatch(terminal, await batchNamed(terminal, id), flags as unknown as BatchFlags),
  next: ({ job_id }) => [`${RETRY_ONLY} runs retry ${job_id}`],
};

/** Every kind of run. */
export const RUN_KINDS: readonly RunKind[] = [SYNC, ONBOARD, ...JOBS.map(runsOfJob)];

export function kindNamed(kind: string): RunKind | undefined {
  return RUN_KINDS.find((one) => one.kind === kind);
}

/** Says of which kind of job an id is a run; undefined for what is not the id of a run. */
export function kindOf(runId: string): RunKind | undefined {
  return RUN_KINDS.find(({ kind }) => isRunId(kind, runId));
}

export function batchOf(workflowId: string): string {
  return workflowId.slice(workflowId.lastIndexOf("/") + 1);
}

/** Finds the batch of an id, which may be that of one of its runs. @throws InputError where no such run is known. */
async function batchNamed(terminal: Terminal, id: string): Promise<string> {
  if (!isRunId("onboard", id)) return id;
  const { ended, running } = await findRun(terminal, id);
  if (ended?.job_id != null) return ended.job_id;
  if (running !== undefined) return batchOf(running.workflowId);
  throw new InputError(
    `run ${id} is not running and is not in the table runs. Nothing was changed. Give the id of its batch instead.`,
  );
}
