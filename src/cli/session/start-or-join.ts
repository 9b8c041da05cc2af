import { randomBytes } from "node:crypto";
import type { Client, WorkflowHandle } from "@temporalio/client";
import { runId as makeRunId } from "../../domain/run.js";
import { describeRunning, startUnlessRunning } from "../../temporal/running-workflows.js";

/** A run that was started, or one of the same job that was going on and is joined. */
export interface StartedRun {
  readonly handle: WorkflowHandle;
  readonly runId: string;
  readonly joined: boolean;
  /** What whoever joins it can read of it. */
  readonly memo: Readonly<Record<string, unknown>>;
}

/** A job as it is started; its workflow id makes sure that it runs once at a time. */
interface JobStart {
  /** Type of its workflow. */
  readonly workflow: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  /** First word of its run ids. */
  readonly kind: string;
  /** Freezes what a new run needs, and gives its workflow's input. */
  prepare(run: NewRun): Promise<PreparedRun>;
  /** Takes back what was frozen for a run that does not exist, because another one was faster. */
  discard?(runId: string): Promise<void>;
}

export interface NewRun {
  readonly runId: string;
  /** ISO 8601, in UTC. */
  readonly startedAt: string;
}

interface PreparedRun {
  readonly input: object;
  readonly memo?: Readonly<Record<string, unknown>>;
}

/** Joins the job's run that is going on, or starts a new one. */
export async function startOrJoin(client: Client, job: JobStart): Promise<StartedRun> {
  const { workflow, workflowId, taskQueue, kind } = job;
  const running = await joinRun(client, workflowId);
  if (running !== undefined) return running;
  const startedAt = new Date();
  const runId = makeRunId(kind, startedAt, randomBytes(3).toString("hex"));
  const prepared = await job.prepare({ runId, startedAt: startedAt.toISOString() });
  const memo = { ...prepared.memo, runId };
  const start = { workflowId, taskQueue, args: [prepared.input], memo };
  const handle = await startUnlessRunning(client, workflow, start);
  if (handle !== undefined) return { handle, runId, memo, joined: false };
  // Only now it is certain that this run does not exist and nobody will look for what was frozen.
  await job.discard?.(runId);
  return startOrJoin(client, job);
}

/** The run of a job that is going on; undefined where none is. */
export async function joinRun(client: Client, workflowId: string): Promise<StartedRun | undefined> {
  const running = await describeRunning(client, workflowId);
  if (running === undefined) return undefined;
  const memo = running.memo ?? {};
  return { handle: client.workflow.getHandle(workflowId), runId: String(memo.runId), memo, joined: true };
}
