import { randomBytes } from "node:crypto";
import type { Client } from "@temporalio/client";
import { runId as makeRunId, type NewRun } from "../domain/run.js";
import { lakeIsGone } from "../lake/service-binding.js";
import { giveUpRun } from "../temporal/give-up.js";
import {
  describeWorkflow,
  joinedRun,
  joinRun,
  type StartedRun,
  startAttributes,
  startUnlessRunning,
} from "../temporal/running-workflows.js";

export interface AskedLake {
  readonly id: string;
  readonly address: string;
  /** The job may have had runs for another lake in its place. */
  readonly mayBeNew: boolean;
}

export interface AskedRun {
  readonly scope: string;
  readonly taskQueue: string;
  readonly lake?: AskedLake | undefined;
  /** Default: a new one. A start that is repeated names the same one. */
  readonly run?: NewRun | undefined;
  /** For the table `runs`. */
  readonly command?: string | undefined;
  /** A run that has started by then is left as it is. */
  readonly signal?: AbortSignal | undefined;
  /** Gives up the job's run in progress, and deletes what it froze. */
  readonly restart?: boolean | undefined;
}

/** Its workflow id makes sure that it runs once at a time. */
interface JobStart extends Omit<AskedRun, "scope"> {
  readonly workflow: string;
  readonly workflowId: string;
  /** First word of run ids. */
  readonly kind: string;
  /** Freezes what a new run needs; returns its workflow's input, all but the run itself. */
  prepare(run: NewRun): Promise<{ readonly input: object; readonly memo?: StartedRun["memo"] }>;
  /** For a run that does not exist, because another one was faster. */
  discard?(runId: string): Promise<void>;
}

/**
 * Joins the job's run in progress, unless that is to be given up, or starts a new one. A repeated start whose run has
 * ended does not start it again.
 */
export async function startOrJoin(
  client: Client,
  { restart = false, ...job }: JobStart,
): Promise<StartedRun> {
  if (restart) {
    const running = await joinRun(client, job.workflowId);
    if (running !== undefined) await giveUpRun(client, running, async (runId) => job.discard?.(runId));
  }
  const { workflow, workflowId, taskQueue, kind, lake } = job;
  const latest = await describeWorkflow(client, workflowId);
  const before = latest?.memo?.lake;
  if (lake !== undefined && !lake.mayBeNew && before !== undefined && before !== lake.id)
    throw lakeIsGone(lake.address, lake.id);
  const isAsked = job.run !== undefined && latest?.memo?.runId === job.run.runId;
  if (latest !== undefined && (latest.status.name === "RUNNING" || isAsked)) {
    // An earlier attempt may have frozen files that nobody will look for.
    if (job.run !== undefined && !isAsked) await job.discard?.(job.run.runId);
    return joinedRun(client, latest);
  }
  const run = job.run ?? newRun(kind, job.command);
  const { runId } = run;
  const { schedule } = run.firing ?? {};
  // A failure here leaves nothing behind.
  const typedSearchAttributes = await startAttributes(client, { kind, schedule });
  const prepared = await job.prepare(run);
  if (job.signal?.aborted) {
    await job.discard?.(runId);
    throw job.signal.reason;
  }
  const known = { runId, ...(schedule !== undefined && { schedule }), ...(lake && { lake: lake.id }) };
  const memo = { ...prepared.memo, ...known };
  const args = [{ ...prepared.input, ...run }];
  const start = { workflowId, taskQueue, args, memo, typedSearchAttributes };
  const handle = await startUnlessRunning(client, workflow, start);
  if (handle !== undefined) return { handle, runId, memo, joined: false };
  // Only now is it certain that nobody will look for what was frozen.
  await job.discard?.(runId);
  return startOrJoin(client, job);
}

function newRun(kind: string, command: string | undefined): NewRun {
  const now = new Date();
  const runId = makeRunId(kind, now, randomBytes(3).toString("hex"));
  return { runId, startedAt: now.toISOString(), ...(command !== undefined && { command }) };
}
