import { randomBytes } from "node:crypto";
import { type Client, type WorkflowHandle, WorkflowNotFoundError } from "@temporalio/client";
import { batchWorkflowId, playbookKeyOf } from "../../domain/onboarding/identity.js";
import { BATCH_PROGRESS, BATCH_SIGNALS, type BatchProgress } from "../../domain/onboarding/messages.js";
import type { OnboardingTiming } from "../../domain/onboarding/timing.js";
import { runId as makeRunId } from "../../domain/run.js";
import { type ContinuationSink, getSink, putSink } from "../../lake/onboarding/continuation-file.js";
import type { BatchFacts } from "../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { describeRunning, startUnlessRunning } from "../../temporal/running-workflows.js";
import type { OnboardBatchInput } from "../../workflows/onboarding/batch-run.js";

/** How a batch is to be run; none of it changes which batch it is. */
export interface OnboardingOptions {
  /** Rows of the file that may run; null for all. */
  readonly limit: number | null;
  /** Seconds that the service may take over each decision; null in asynchronous mode. */
  readonly syncTimeoutSecs: number | null;
  readonly window: number;
  readonly circuit: number;
  readonly plainOutput: boolean;
  /** Null: links are handed out where an earlier command said, or nowhere. */
  readonly sink: ContinuationSink | null;
  readonly timing: OnboardingTiming;
  /** Run what failed as a new attempt. */
  readonly retry: boolean;
  /** For tests: customers after which a batch continues as new. */
  readonly startsPerExecution?: number;
}

/** A batch that is frozen, and where it runs. */
export interface ReadyBatch {
  readonly scope: string;
  readonly taskQueue: string;
  readonly sealed: SealedStore;
  readonly facts: BatchFacts;
  readonly options: OnboardingOptions;
}

/** A run that was started, or one of the same batch that was going on and is joined. */
export interface StartedBatch {
  readonly handle: WorkflowHandle;
  readonly runId: string;
  readonly batchId: string;
  /** That it was started for. */
  readonly rows: number;
  readonly joined: boolean;
}

/** Joins the batch's run that is going on, or starts a new one. */
export async function startOnboarding(client: Client, batch: ReadyBatch): Promise<StartedBatch> {
  const { sealed, facts, options, scope } = batch;
  if (options.sink !== null) await putSink(sealed, facts.batchId, options.sink);
  const workflowId = batchWorkflowId(scope, facts.batchId);
  const running = await joinBatch(client, workflowId, facts.batchId);
  if (running !== undefined) return goOn(client, running, batch);
  const startedAt = new Date();
  const runId = makeRunId("onboard", startedAt, randomBytes(3).toString("hex"));
  const sink = (await getSink(sealed, facts.batchId)) !== undefined;
  const rows = rowsOf(facts, options);
  const handle = await startUnlessRunning(client, "onboardBatch", {
    workflowId,
    taskQueue: batch.taskQueue,
    args: [inputOf(batch, runId, startedAt, sink)],
    memo: { runId, rows },
  });
  if (handle !== undefined) return { handle, runId, batchId: facts.batchId, rows, joined: false };
  const joined = await joinBatch(client, workflowId, facts.batchId);
  return joined === undefined ? startOnboarding(client, batch) : goOn(client, joined, batch);
}

/** The run of a batch that is going on; undefined where none is. */
export async function joinBatch(
  client: Client,
  workflowId: string,
  batchId: string,
): Promise<StartedBatch | undefined> {
  const running = await describeRunning(client, workflowId);
  if (running === undefined) return undefined;
  const { memo } = running;
  const handle = client.workflow.getHandle(workflowId);
  return { handle, runId: String(memo?.runId), batchId, rows: Number(memo?.rows ?? 0), joined: true };
}

/** Joins a run with this command's limit; one that is at its end is waited for, and the rest is a new run. */
async function goOn(client: Client, running: StartedBatch, batch: ReadyBatch): Promise<StartedBatch> {
  const { handle } = running;
  try {
    await handle.signal(BATCH_SIGNALS.raiseLimit, rowsOf(batch.facts, batch.options));
    const progress = await handle.query<BatchProgress>(BATCH_PROGRESS).catch(() => undefined);
    // The credentials have just been found good; a batch that people or its circuit stopped waits for them.
    if (progress?.paused?.kind === "credentials") await handle.signal(BATCH_SIGNALS.resume);
    if (!progress?.finishing || progress.customers.queued === 0) return running;
    // However it ends, its rows are looked up again.
    await handle.result().catch(() => undefined);
  } catch (error) {
    // It has ended since it was found.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  return startOnboarding(client, batch);
}

function rowsOf({ rows }: BatchFacts, { limit }: OnboardingOptions): number {
  return Math.min(rows, limit ?? rows);
}

function inputOf(
  { facts, options, scope }: ReadyBatch,
  runId: string,
  startedAt: Date,
  sink: boolean,
): OnboardBatchInput {
  const { batchId, playbook, mode } = facts;
  const { limit, syncTimeoutSecs, window, circuit, plainOutput, timing, retry, startsPerExecution } = options;
  return {
    ...{ batchId, runId, scope, syncTimeoutSecs, window, circuit, plainOutput, timing, retry, sink },
    startedAt: startedAt.toISOString(),
    playbookKey: playbookKeyOf(playbook),
    upTo: rowsOf(facts, options),
    options: { playbook, mode, limit, window, circuit, retry, sync_timeout_secs: syncTimeoutSecs },
    carried: null,
    ...(startsPerExecution !== undefined && { startsPerExecution }),
  };
}
