import { type Client, WorkflowNotFoundError } from "@temporalio/client";
import type { BatchRunInput } from "../../domain/onboarding/batch/started-batch.js";
import { batchWorkflowId, playbookKeyOf } from "../../domain/onboarding/identity.js";
import { BATCH_PROGRESS, BATCH_SIGNALS, type BatchProgress } from "../../domain/onboarding/messages.js";
import type { OnboardingTiming } from "../../domain/onboarding/timing.js";
import type { NewRun } from "../../domain/run.js";
import { type ContinuationSink, getSink, putSink } from "../../lake/onboarding/continuation-file.js";
import type { BatchFacts } from "../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { type StartedRun, startOrJoin } from "../start-or-join.js";

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
interface ReadyBatch {
  readonly scope: string;
  readonly taskQueue: string;
  readonly sealed: SealedStore;
  readonly facts: BatchFacts;
  readonly options: OnboardingOptions;
  readonly signal?: AbortSignal;
  readonly run?: NewRun;
}

/** A run of a batch that was started, or one that was going on and is joined. */
export interface StartedBatch extends StartedRun {
  readonly batchId: string;
  /** That it was started for. */
  readonly rows: number;
}

/** Joins the batch's run that is going on, or starts a new one. */
export async function startOnboarding(client: Client, batch: ReadyBatch): Promise<StartedBatch> {
  const { sealed, facts, options, scope, taskQueue, signal, run } = batch;
  if (options.sink !== null) await putSink(sealed, facts.batchId, options.sink);
  const started = await startOrJoin(client, {
    run,
    signal,
    workflow: "onboardBatch",
    workflowId: batchWorkflowId(scope, facts.batchId),
    taskQueue,
    kind: "onboard",
    async prepare() {
      const sink = (await getSink(sealed, facts.batchId)) !== undefined;
      return { input: inputOf(batch, sink), memo: { rows: rowsOf(facts, options) } };
    },
  });
  const running = { ...started, batchId: facts.batchId, rows: startedRows(started) };
  return running.joined ? goOn(client, running, batch) : running;
}

/** Rows that a run was started for. */
export function startedRows({ memo }: StartedRun): number {
  return Number(memo.rows ?? 0);
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

function inputOf({ facts, options, scope }: ReadyBatch, sink: boolean): Omit<BatchRunInput, keyof NewRun> {
  const { batchId, playbook, mode } = facts;
  const { limit, syncTimeoutSecs, window, circuit, plainOutput, timing, retry, startsPerExecution } = options;
  return {
    batchId,
    scope,
    syncTimeoutSecs,
    window,
    circuit,
    plainOutput,
    timing,
    retry,
    sink,
    playbookKey: playbookKeyOf(playbook),
    upTo: rowsOf(facts, options),
    options: { playbook, mode, limit, window, circuit, retry, sync_timeout_secs: syncTimeoutSecs },
    ...(startsPerExecution !== undefined && { startsPerExecution }),
  };
}
