import type { Client } from "@temporalio/client";
import { SECOND } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import type { BatchRunInput } from "../../domain/onboarding/batch/batch-state.js";
import type { OnboardingMode } from "../../domain/onboarding/customer.js";
import { batchWorkflowId, followWorkflowId } from "../../domain/onboarding/identity.js";
import { BATCH_SIGNALS, type BatchProgress } from "../../domain/onboarding/messages.js";
import { DEFAULT_TIMING } from "../../domain/onboarding/timing.js";
import type { NewRun } from "../../domain/run.js";
import { counted } from "../../domain/words/counted.js";
import { keptLinksFile } from "../../lake/onboarding/continuation-file.js";
import type { BatchFacts } from "../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { progressOf, type StartedRun, signalRunning } from "../../temporal/running-workflows.js";
import { type AskedRun, startOrJoin } from "../start-or-join.js";
import { type CustomersFile, invalidRowsError, readCustomers } from "./customers-file.js";

/** A batch as its command line asks for it (src/cli/commands/onboard.ts); a schedule keeps it. */
export interface BatchRequest {
  readonly kind: "onboard";
  readonly file: string;
  readonly continueInvalid: boolean;
  readonly options: { readonly playbook: string; readonly mode: OnboardingMode; readonly limit?: number };
  readonly inputs: BatchTerms;
}

/** A retry takes these, too. */
export interface BatchTerms {
  readonly sync_timeout?: number;
  readonly window: number;
  /** Milliseconds. */
  readonly deadline?: number;
  readonly circuit: number;
  readonly continuations?: string;
  readonly plain_output?: boolean;
  readonly until?: "settled";
}

export function batchOptions(
  {
    sync_timeout,
    window,
    deadline = DEFAULT_TIMING.deadline,
    circuit,
    continuations,
    plain_output,
  }: BatchTerms,
  mode: OnboardingMode,
  more: Pick<OnboardingOptions, "limit" | "retry">,
): OnboardingOptions {
  return {
    ...more,
    window,
    circuit,
    plainOutput: plain_output === true,
    linksFile: continuations ?? null,
    syncTimeoutSecs: mode === "sync" ? (sync_timeout ?? 30) : null,
    timing: { ...DEFAULT_TIMING, deadline },
  };
}

/** Judges the file that a batch is to run on. @throws InputError, also for wrong rows unless they are to be left out */
export async function judgeBatch(
  { file: path, continueInvalid, options: { playbook, mode }, inputs }: BatchRequest,
  service: string,
  warn: (warning: string) => void = () => undefined,
): Promise<CustomersFile> {
  if (mode === "async" && inputs.sync_timeout !== undefined)
    throw new InputError("--sync-timeout works only in --mode sync. Nothing was started.");
  const file = await readCustomers(path, { playbook, mode, service });
  file.warnings.forEach(warn);
  if (file.problems.length > 0 && !continueInvalid) throw invalidRowsError(path, file);
  return file;
}

/** None of this is part of the batch's identity. */
export interface OnboardingOptions
  extends Pick<
    BatchRunInput,
    "syncTimeoutSecs" | "window" | "circuit" | "plainOutput" | "timing" | "retry" | "startsPerExecution"
  > {
  /** First rows of the file that may run; null for all. */
  readonly limit: number | null;
  /** Null: the file of an earlier command, or none. */
  readonly linksFile: string | null;
}

interface ReadyBatch extends Omit<AskedRun, "restart"> {
  readonly sealed: SealedStore;
  readonly facts: BatchFacts;
  readonly options: OnboardingOptions;
}

/** Joins the batch's run in progress, or starts a new one. */
export async function startOnboarding(client: Client, batch: ReadyBatch): Promise<StartedRun> {
  const { sealed, facts, options, scope } = batch;
  if (options.linksFile !== null) await keptLinksFile(sealed, facts.batchId).put(options.linksFile);
  const started = await startOrJoin(client, {
    ...batch,
    workflow: "onboardBatch",
    workflowId: batchWorkflowId(scope, facts.batchId),
    kind: "onboard",
    async prepare() {
      const memo = { rows: rowsOf(facts, options), worksIn: followWorkflowId(scope) };
      return { input: inputOf(batch), memo };
    },
  });
  return started.joined ? joinBatch(client, started, batch) : started;
}

/** @throws InputError where the run takes fewer rows than this command */
async function joinBatch(client: Client, running: StartedRun, batch: ReadyBatch): Promise<StartedRun> {
  const { handle, memo } = running;
  const { facts, options } = batch;
  if (rowsOf(facts, options) > Number(memo.rows)) {
    throw new InputError(
      `batch ${facts.batchId} is running, for the first ${counted(Number(memo.rows), "row")} of its file. Nothing was started. Run the same command again once it has ended.`,
    );
  }
  // The credentials were good a moment ago; a batch that a person or its circuit paused waits for a person.
  const progress = await progressOf<BatchProgress>(client, handle);
  if (progress?.paused?.kind === "credentials")
    await signalRunning(client, handle.workflowId, BATCH_SIGNALS.resume);
  return running;
}

function rowsOf({ rows }: BatchFacts, { limit }: OnboardingOptions): number {
  return Math.min(rows, limit ?? rows);
}

function inputOf({ facts, options, scope }: ReadyBatch): Omit<BatchRunInput, keyof NewRun> {
  const { batchId, playbook, mode } = facts;
  const { limit, linksFile: _, ...run } = options;
  const { window, circuit, retry, syncTimeoutSecs } = run;
  const times = { sync_timeout_secs: syncTimeoutSecs, deadline_secs: run.timing.deadline / SECOND };
  return {
    ...run,
    batchId,
    scope,
    upTo: rowsOf(facts, options),
    options: { playbook, mode, limit, window, circuit, retry, ...times },
  };
}
