import {
  condition,
  proxyActivities,
  type SignalDefinition,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import {
  cancelled,
  heard,
  limitRaised,
  paused,
  planned,
  reported,
  resumed,
  started,
  unrecordedTaken,
  unstartedEnded,
  unstartedTaken,
} from "../../domain/onboarding/batch/batch-changes.js";
import type { CustomerReport, RowToRun } from "../../domain/onboarding/batch/batch-rows.js";
import {
  type BatchPause,
  type BatchState,
  isProcessed,
  newBatch,
  rangesOf,
  rowsToPlan,
  silentRows,
  wakeAfter,
} from "../../domain/onboarding/batch/batch-state.js";
import type { OnboardBatchInput } from "../../domain/onboarding/batch/started-batch.js";
import { HEARTBEATING, ROWS_AT_ONCE, STARTS_PER_EXECUTION } from "../policies.js";
import { tellStatus } from "../run-details.js";
import { startCustomer, tellToStop, waitForCustomer } from "./batch-customers.js";
import { BatchRecorder } from "./batch-recorder.js";
import {
  batchProgress,
  cancelBatch,
  customerReported,
  pauseBatch,
  raiseLimit,
  resumeBatch,
} from "./messages.js";
import { isStagingLost } from "./staging-lost.js";

const { planCustomers, inspectCustomers, stopCustomers } = proxyActivities<Activities>(HEARTBEATING);

const BY_HAND: BatchPause = { kind: "asked", reason: "paused by hand; batch resume continues it" };
/** How long a processed batch waits for outputs that are late, not counting the waits between polls for them. */
const OUTPUTS_LATE_MS = 10_000;

/** One execution of a batch: starts customers, applies their reports, and inspects silent ones. */
export class BatchRun {
  readonly #input: OnboardBatchInput;
  readonly #recorder: BatchRecorder;
  #batch: BatchState;
  #starts = 0;
  #starting = 0;
  #changes = 0;
  #isStopping = false;
  #isFinishing = false;
  /** The failure of a customer who found that the batch's staging is lost. */
  #lost: unknown;

  constructor(input: OnboardBatchInput) {
    this.#input = input;
    this.#batch = input.carried ?? newBatch(input.upTo);
    this.#listen();
    this.#recorder = new BatchRecorder(input, {
      count: () => this.#batch.unrecorded.length,
      take: (most) => {
        const { batch, ...taken } = unrecordedTaken(this.#batch, most);
        this.#batch = batch;
        return taken;
      },
    });
  }

  get batch(): BatchState {
    return this.#batch;
  }

  cancel(): void {
    this.#apply(cancelled);
  }

  /** Runs until every row is processed, or until the next execution has to continue. */
  async run(): Promise<"done" | "long"> {
    for (;;) {
      const seen = this.#changes;
      // Without its recorder the batch fails; the same command continues it.
      if (this.#recorder.isBroken) await this.#recorder.end();
      if (this.#lost !== undefined) throw this.#lost;
      if (this.#batch.cancelled) await this.#cancelRest();
      await this.#plan();
      this.#start();
      if (this.#starting === 0) {
        if (isProcessed(this.#batch)) break;
        if (this.#isLong) {
          await this.#recorder.end();
          return "long";
        }
      }
      this.#tellStatus();
      if (this.#batch.paused !== null) this.#recorder.hurry();
      const { window, timing } = this.#input;
      const wake = wakeAfter(this.#batch, { window, reportTimeout: timing.reportTimeout }, Date.now());
      await condition(() => this.#changes > seen || this.#recorder.isBroken, wake);
      await this.#inspect();
    }
    const late = this.#input.timing.outputRetries.reduce((sum, one) => sum + one, OUTPUTS_LATE_MS);
    await condition(() => this.#batch.outputs.awaited === 0, late);
    await this.#recorder.end();
    // The limit may have been raised during these waits.
    if (!isProcessed(this.#batch)) return "long";
    this.#isFinishing = true;
    return "done";
  }

  #tellStatus(): void {
    const { counts, paused } = this.#batch;
    const words = `${counts.queued} of ${counts.total} customers are queued, ${counts.running} run`;
    tellStatus(paused === null ? "running" : "paused", words);
  }

  #apply(change: (batch: BatchState) => BatchState): void {
    this.#batch = change(this.#batch);
    this.#changes += 1;
  }

  #report(report: CustomerReport): void {
    const { circuit } = this.#input;
    this.#apply((batch) => reported(batch, report, { circuit, now: Date.now() }));
  }

  #listen(): void {
    const on = <A extends unknown[]>(
      signal: SignalDefinition<A>,
      change: (batch: BatchState, ...args: A) => BatchState,
    ) => setHandler(signal, (...args: A) => this.#apply((batch) => change(batch, ...args)));
    const { batchId, runId } = this.#input;
    setHandler(customerReported, (report) => this.#report(report));
    on(pauseBatch, (batch) => paused(batch, BY_HAND));
    on(resumeBatch, resumed);
    on(cancelBatch, cancelled);
    on(raiseLimit, limitRaised);
    setHandler(batchProgress, () => {
      const { counts, manualReview, calls, refusals, unrecorded, ...batch } = this.#batch;
      return {
        runId,
        batchId,
        customers: counts,
        manualReview,
        calls,
        refusals,
        paused: batch.paused,
        cancelling: batch.cancelled,
        recorded: unrecorded.length === 0 && !this.#recorder.isWriting,
        finishing: this.#isFinishing,
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
    const { batchId, runId, retry, sink } = this.#input;
    return { batchId, runId, retry, sink, cancel: this.#batch.cancelled };
  }

  #start(): void {
    if (this.#isLong) return;
    const { batch, rows } = started(this.#batch, this.#input.window, Date.now());
    this.#batch = batch;
    this.#starts += rows.length;
    this.#starting += rows.length;
    for (const row of rows) {
      void this.#startOne(row).finally(() => {
        this.#starting -= 1;
        this.#changes += 1;
      });
    }
  }

  async #startOne(row: RowToRun): Promise<void> {
    const customer = await startCustomer(this.#input, this.#batch, row);
    if (customer === undefined) {
      await waitForCustomer(this.#input, this.#batch, row).catch(() =>
        this.#report({ kind: "free", row: row.row }),
      );
      return;
    }
    customer.result().catch((error: unknown) => {
      if (!isStagingLost(error)) return;
      this.#lost = error;
      this.#changes += 1;
    });
  }

  async #inspect(): Promise<void> {
    const rows = silentRows(this.#batch, this.#input.timing.reportTimeout, Date.now());
    if (rows.length === 0) return;
    const { batchId, runId, scope, playbookKey, sink } = this.#input;
    const found = await inspectCustomers({ batchId, runId, scope, playbookKey, sink, rows });
    this.#batch = heard(this.#batch, found.running, Date.now());
    for (const report of found.ended) this.#report(report);
  }

  /** Cancels the rows that wait, and stops the customers that run, also those that wait for people. */
  async #cancelRest(): Promise<void> {
    await condition(() => !this.#recorder.isWriting);
    // A customer that is being started cannot be signalled yet.
    await condition(() => this.#starting === 0);
    const { batch, rows } = unstartedTaken(this.#batch);
    this.#batch = batch;
    for (const range of rangesOf(rows, ROWS_AT_ONCE, batch.upTo)) {
      const { ended } = await planCustomers({ ...this.#planning, ...range });
      this.#batch = unstartedEnded(this.#batch, ended);
    }
    if (this.#isStopping) return;
    this.#isStopping = true;
    const { batchId, scope, playbookKey } = this.#input;
    for (const row of this.#batch.outstanding) await tellToStop(this.#input, row);
    const { next, manualReview, counts } = this.#batch;
    if (counts.needs_customer + counts.pending + counts.none + manualReview === 0) return;
    for (let from = 0; from < next; from += ROWS_AT_ONCE) {
      const to = Math.min(next, from + ROWS_AT_ONCE);
      await stopCustomers({ batchId, scope, playbookKey, from, to });
    }
  }
}
