import type { Client } from "@temporalio/client";
import { InputError } from "../../domain/failures.js";
import { isRunId } from "../../domain/run.js";
import { TRY_NOW } from "../../domain/waiting.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { JOBS } from "../../jobs/index.js";
import type { AnyJob } from "../../jobs/job.js";
import { signalRunning, tryCustomersNow } from "../../temporal/running-workflows.js";
import { bulkRun } from "../bulk/bulk-run.js";
import { nextSteps } from "../bulk/next-steps.js";
import { retryBulk } from "../bulk/steer.js";
import { batchRun } from "../onboarding/batch-run.js";
import { retryBatch, steerBatch } from "../onboarding/batches.js";
import type { BatchFlags } from "../onboarding/flags.js";
import type { JobRun } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import { retrySync } from "../sync/retry.js";
import { syncRun } from "../sync/sync-run.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Finding } from "./findings.js";
import type { SeenRun } from "./seen-run.js";
import { findRun, withRunsView } from "./view.js";

/** Options of every retry; those of a batch have no meaning for other jobs, nor the inputs of one kind for others. */
export interface RetryFlags extends BatchFlags {
  readonly sendUnknown?: boolean;
  readonly [input: string]: unknown;
}

type AnyJobRun = JobRun<unknown, unknown>;
type Join = (session: JobSession) => Promise<StartedRun>;

/** What `runs` and `status` know of one kind of run; nothing else in this room asks for its kind. */
interface RunKind {
  /** First word of the ids of its runs. */
  readonly kind: string;
  /** The bulk job that it is a run of. */
  readonly job?: AnyJob;
  /** Makes a run in progress as its own command sees it. */
  runOf(terminal: Terminal, workflowId: string, join: Join): AnyJobRun;
  /** Has a run try now all that waits for its next try. */
  tryNow(client: Client, taskQueue: string, run: StartedRun): Promise<unknown>;
  /** Cancels a run in its own way; left out: as every workflow. Returns the exit code. @throws InputError */
  cancel?(terminal: Terminal, id: string, json: boolean): Promise<number>;
  /** Runs again what failed. Returns the exit code. @throws InputError */
  retry(terminal: Terminal, id: string, flags: RetryFlags): Promise<number>;
  /** Says what to do about what failed in a run that has ended. */
  next(run: SeenRun, failed: readonly Finding[]): string[];
}

const RETRY = "retry only what failed: nightledger";

const SYNC: RunKind = {
  kind: "sync",
  runOf: (terminal, _, join) => syncRun(terminal, join) as AnyJobRun,
  tryNow: signalTryNow,
  retry: retrySync,
  next: ({ run_id }) => [`${RETRY} runs retry ${run_id}`],
};

/** Runs of batches: a command may name the batch or one of its runs. */
export const ONBOARD: RunKind = {
  kind: "onboard",
  runOf: (terminal, workflowId, join) => batchRun(terminal, batchOf(workflowId), {}, join) as AnyJobRun,
  tryNow: tryCustomersNow,
  cancel: async (terminal, id, json) => steerBatch(terminal, "cancel", await batchNamed(terminal, id), json),
  retry: async (terminal, id, flags) => retryBatch(terminal, await batchNamed(terminal, id), flags),
  next: ({ job_id }) => [`${RETRY} batch retry ${job_id}`],
};

function ofJob(job: AnyJob): RunKind {
  return {
    kind: job.kind,
    job,
    runOf: (_, __, join) => bulkRun(job, join) as AnyJobRun,
    tryNow: signalTryNow,
    retry: (terminal, id, flags) => retryBulk(terminal, job, id, flags),
    next({ run_id: runId, status, counts }, failed) {
      // Only a run that went through all of its rows keeps the failed ones.
      if (status !== "completed_with_failures" || (counts.failed ?? 0) === 0) return [];
      const { users = 0, failed: failures = 0, skipped = 0 } = counts;
      const isNoneDone = failures + skipped >= users;
      return nextSteps(job, { runId, reasons: failed.map(({ reason }) => reason), isAll: true, isNoneDone });
    },
  };
}

export const RUN_KINDS: readonly RunKind[] = [SYNC, ONBOARD, ...JOBS.map(ofJob)];

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
  const { ended, running } = await withRunsView(terminal, (view) => findRun(view, id));
  if (ended?.job_id != null) return ended.job_id;
  if (running !== undefined) return batchOf(running.workflowId);
  throw new InputError(
    `run ${id} is not running and is not in the table runs. Nothing was changed. Give the id of its batch instead.`,
  );
}

function signalTryNow(client: Client, _: string, { handle }: StartedRun): Promise<unknown> {
  return signalRunning(client, handle.workflowId, TRY_NOW);
}
