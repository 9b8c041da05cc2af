import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { callsOf } from "../../domain/counts.js";
import { FAILURE_TYPES } from "../../domain/failures.js";
import {
  cancelled,
  paused,
  planned,
  reported,
  resumed,
  silenced,
  started,
  unstartedEnded,
} from "../../domain/onboarding/batch/batch-changes.js";
import {
  areOutputsExpected,
  type BatchPause,
  type BatchState,
  type CustomerReport,
  customersOf,
  isProcessed,
  newBatch,
  type OnboardBatchInput,
  type RowToRun,
  rangesOf,
  rowsToPlan,
  waitingCustomers,
} from "../../domain/onboarding/batch/batch-state.js";
import { BATCH_SIGNALS, type BatchProgress } from "../../domain/onboarding/messages.js";
import { HEARTBEATING, ROWS_AT_ONCE, STARTS_PER_EXECUTION } from "../policies.js";
import { tellStatus } from "../run-details.js";

const { planCustomers, tellRows } = proxyActivities<Activities>(HEARTBEATING);

const BY_HAND: BatchPause = { kind: "asked", reason: "paused by hand; runs resume continues it" };

/** One execution of a batch. */
export class BatchRun {
  readonly #input: OnboardBatchInput;
  #batch: BatchState;
  #starts = 0;
  #changes = 0;
  #isStopping = false;

  constructor(input: OnboardBatchInput) {
    this.#input = input;
    this.#batch = input.carried ?? newBatch(input.upTo);
    this.#listen();
  }

  get batch(): BatchState {
    return this.#batch;
  }

  cancel(): void {
    this.#apply(cancelled);
  }

  async run(): Promise<"done" | "long"> {
    for (;;) {
      const seen = this.#changes;
      const { lost } = this.#batch;
      if (lost !== null) throw ApplicationFailure.create({ type: FAILURE_TYPES.stagingLost, message: lost });
      if (this.#batch.cancelled) await this.#cancelRest();
      await this.#plan();
      await this.#start();
      if (isProcessed(this.#batch)) return "done";
      if (this.#isLong) return "long";
      this.#tellStatus();
      await condition(() => this.#changes > seen, this.#input.timing.reportTimeout);
      await this.#inspect();
    }
  }

  #tellStatus(): void {
    const { total, queued, running } = customersOf(this.#batch);
    const words = `${queued} of ${total} customers are queued, ${running} run`;
    tellStatus(this.#batch.paused === null ? "running" : "paused", words);
  }

  #apply(change: (batch: BatchState) => BatchState): void {
    this.#batch = change(this.#batch);
    this.#changes += 1;
  }

  #listen(): void {
    const on = (signal: keyof typeof BATCH_SIGNALS, change: (batch: BatchState) => BatchState) =>
      setHandler(defineSignal(BATCH_SIGNALS[signal]), () => this.#apply(change));
    const { batchId, runId, circuit } = this.#input;
    setHandler(defineSignal<[readonly CustomerReport[]]>(BATCH_SIGNALS.reported), (reports) => {
      for (const report of reports) {
        // The staging of an earlier run.
        if (report.kind === "lost" && report.runId !== runId) continue;
        this.#apply((batch) => reported(batch, report, circuit));
      }
    });
    on("pause", (batch) => paused(batch, BY_HAND));
    on("resume", resumed);
    on("cancel", cancelled);
    setHandler(defineQuery<BatchProgress>("progress"), () => {
      const { manualReview, refusals, paused, cancelled } = this.#batch;
      return {
        ...{ runId, batchId, customers: customersOf(this.#batch), manualReview, refusals, paused },
        ...callsOf(this.#batch),
        ...waitingCustomers(this.#batch),
        cancelling: cancelled,
      };
    });
  }

  get #isLong(): boolean {
    const most = this.#input.startsPerExecution ?? STARTS_PER_EXECUTION;
    return this.#starts >= most || workflowInfo().continueAsNewSuggested;
  }

  async #plan(): Promise<void> {
    for (;;) {
      const rows = rowsToPlan(this.#batch, ROWS_AT_ONCE);
      if (rows === undefined) return;
      const plan = await planCustomers({ ...this.#planning, ...rows, only: null });
      this.#batch = planned(this.#batch, rows.to, plan);
    }
  }

  get #planning() {
    const { batchId, runId, retry, plainOutput } = this.#input;
    return { batchId, runId, retry, plainOutput, cancel: this.#batch.cancelled };
  }

  async #start(): Promise<void> {
    if (this.#isLong) return;
    const { batch, rows } = started(this.#batch, this.#input.window, Date.now());
    this.#batch = batch;
    this.#starts += rows.length;
    await this.#handOver(rows);
  }

  async #handOver(rows: readonly RowToRun[]): Promise<void> {
    if (rows.length === 0) return;
    const { scope, batchId, runId, syncTimeoutSecs, plainOutput, timing } = this.#input;
    const common = {
      batchId,
      runId,
      syncTimeoutSecs,
      plainOutput,
      timing,
      authEpoch: `${runId}/${this.#batch.resumes}`,
      startedAt: new Date().toISOString(),
      batchWorkflowId: workflowInfo().workflowId,
      outputExpected: areOutputsExpected(this.#batch),
    };
    await tellRows({ scope, signal: "handOver", message: rows.map((row) => ({ ...row, ...common })) });
  }

  /** Hands silent rows over again: one that is open answers, and one that was lost is found by its kept call. */
  async #inspect(): Promise<void> {
    const { batch, rows } = silenced(this.#batch, this.#input.timing.reportTimeout, Date.now());
    this.#batch = batch;
    if (rows.length === 0) return;
    await this.#handOver(rows);
    if (this.#batch.cancelled) await this.#stopRows();
  }

  /** Cancels the rows that wait, and stops the customers that run, also those that wait for people. */
  async #cancelRest(): Promise<void> {
    const { waiting, upTo } = this.#batch;
    this.#batch = { ...this.#batch, waiting: [] };
    for (const range of rangesOf(waiting, ROWS_AT_ONCE, upTo)) {
      const { ended } = await planCustomers({ ...this.#planning, ...range });
      this.#batch = unstartedEnded(this.#batch, ended);
    }
    if (this.#isStopping) return;
    this.#isStopping = true;
    await this.#stopRows();
  }

  async #stopRows(): Promise<void> {
    const { batchId, scope } = this.#input;
    await tellRows({ scope, signal: "stop", message: batchId });
  }
}
