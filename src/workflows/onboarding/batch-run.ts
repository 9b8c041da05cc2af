import {
  ChildWorkflowCancellationType,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  proxyActivities,
  setHandler,
  startChild,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { type CarriedBatch, newBatch, type RowToRun } from "../../domain/onboarding/batch/batch-rows.js";
import { BatchWindow } from "../../domain/onboarding/batch/batch-window.js";
import { customerWorkflowId } from "../../domain/onboarding/identity.js";
import { TASK_TIMEOUT } from "../../domain/task-timeout.js";
import { unlessRunning } from "../child-start.js";
import { HEARTBEATING, ROWS_AT_ONCE, STARTS_PER_EXECUTION } from "../policies.js";
import { tellStatus } from "../run-details.js";
import type { OnboardBatchInput } from "./batch-input.js";
import { BatchRecorder } from "./batch-recorder.js";
import type { CustomerInput } from "./customer-input.js";
import {
  batchProgress,
  cancelBatch,
  customerReported,
  pauseBatch,
  raiseLimit,
  resumeBatch,
  stopCustomer,
  watchCustomer,
} from "./messages.js";
import { onboardCustomer } from "./onboard-customer.js";
import { isStagingLost } from "./staging-lost.js";

const { planCustomers, inspectCustomers, stopCustomers } = proxyActivities<Activities>(HEARTBEATING);

/** A row whose customer could not be asked for the moment is tried again after this. */
const AGAIN_AFTER_MS = 1_000;
/** How long after its last row a batch waits for outputs that are late, besides the waits themselves. */
const OUTPUTS_LATE_MS = 10_000;

/** One execution of a batch: starts customers, hears of them, looks for silent ones. */
export class BatchRun {
  readonly window: BatchWindow;
  readonly #input: OnboardBatchInput;
  readonly #recorder: BatchRecorder;
  #starts = 0;
  #starting = 0;
  #news = 0;
  #stopping = false;
  #finishing = false;
  /** What a customer failed with that lost the batch's staging. */
  #lost: unknown;

  constructor(input: OnboardBatchInput) {
    const { batchId, runId, plainOutput, timing } = input;
    this.#input = input;
    this.window = new BatchWindow(input.carried ?? newBatch(input.upTo), input.circuit);
    this.#listen();
    this.#recorder = new BatchRecorder(this.window, {
      ...{ batchId, runId, plainOutput },
      recordAfter: timing.recordAfter,
    });
  }

  get upTo(): number {
    return this.window.carry().upTo;
  }

  cancel(): void {
    this.window.cancel();
    this.#news += 1;
  }

  carry(): CarriedBatch {
    return this.window.carry();
  }

  /** Until every row is processed, or what is left is the next execution's. */
  async go(): Promise<"done" | "long"> {
    for (;;) {
      const seen = this.#news;
      // What ends from now on could not be written: the batch fails, and the same command goes on with it.
      if (this.#recorder.broken) await this.#recorder.end();
      if (this.#lost !== undefined) throw this.#lost;
      if (this.window.cancelled) await this.#cancelRest();
      await this.#plan();
      this.#start();
      if (this.#starting === 0) {
        if (this.window.done) break;
        if (this.#long) {
          await this.#recorder.end();
          return "long";
        }
      }
      this.#tell();
      if (this.window.paused !== null) this.#recorder.hurry();
      await condition(() => this.#news > seen || this.#recorder.broken, this.#wait());
      await this.#inspect();
    }
    const wait = this.#input.timing.outputRetries.reduce((sum, one) => sum + one, OUTPUTS_LATE_MS);
    await condition(() => this.window.outputsAwaited === 0, wait);
    await this.#recorder.end();
    // The limit was raised while late outputs and the tables were waited for.
    if (!this.window.done) return "long";
    this.#finishing = true;
    return "done";
  }

  #tell(): void {
    const { counts, paused } = this.window;
    const words = `${counts.queued} of ${counts.total} customers are queued, ${counts.running} run`;
    tellStatus(paused === null ? "running" : "paused", words);
  }

  #listen(): void {
    const heard = <A extends unknown[]>(handle: (...args: A) => void) => {
      return (...args: A) => {
        handle(...args);
        this.#news += 1;
      };
    };
    const { window } = this;
    const asked = { kind: "asked", reason: "paused by hand; batch resume continues it" } as const;
    setHandler(
      customerReported,
      heard((report) => window.report(report, Date.now())),
    );
    setHandler(
      pauseBatch,
      heard(() => window.pause(asked)),
    );
    setHandler(
      resumeBatch,
      heard(() => window.resume()),
    );
    setHandler(
      cancelBatch,
      heard(() => window.cancel()),
    );
    setHandler(
      raiseLimit,
      heard((upTo) => window.raiseLimit(upTo)),
    );
    setHandler(batchProgress, () => ({
      ...{ runId: this.#input.runId, batchId: this.#input.batchId },
      customers: window.counts,
      manualReview: window.manualReview,
      calls: window.calls,
      paused: window.paused,
      cancelling: window.cancelled,
      recorded: window.unrecorded === 0 && !this.#recorder.writing,
      finishing: this.#finishing,
    }));
  }

  get #long(): boolean {
    const most = this.#input.startsPerExecution ?? STARTS_PER_EXECUTION;
    return this.#starts >= most || workflowInfo().continueAsNewSuggested;
  }

  /** Milliseconds until there is something to do without news. */
  #wait(): number {
    const { reportTimeout } = this.#input.timing;
    const start = this.window.paused === null ? this.window.nextStart : undefined;
    const room = this.window.outstanding.length < this.#input.window;
    return start === undefined || !room
      ? reportTimeout
      : Math.max(1, Math.min(reportTimeout, start - Date.now()));
  }

  async #plan(): Promise<void> {
    for (;;) {
      const rows = this.window.rowsToPlan(ROWS_AT_ONCE);
      if (rows === undefined) return;
      const plan = await planCustomers({ ...this.#planning, ...rows, only: null });
      this.window.applyPlan(rows.to, plan);
    }
  }

  get #planning() {
    const { batchId, runId, retry, sink } = this.#input;
    return { batchId, runId, retry, sink, cancel: this.window.cancelled };
  }

  #start(): void {
    if (this.#long) return;
    for (const row of this.window.takeToStart(this.#input.window, Date.now())) {
      this.#starts += 1;
      this.#starting += 1;
      void this.#startOne(row).finally(() => {
        this.#starting -= 1;
        this.#news += 1;
      });
    }
  }

  async #startOne(row: RowToRun): Promise<void> {
    const started = await unlessRunning(
      startChild(onboardCustomer, {
        workflowId: this.#customerId(row),
        args: [this.#customerInput(row)],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        workflowTaskTimeout: TASK_TIMEOUT,
      }),
    );
    if (started === undefined) return this.#watch(row);
    started.result().catch((error: unknown) => {
      if (!isStagingLost(error)) return;
      this.#lost = error;
      this.#news += 1;
    });
  }

  /** The customer is busy, for another batch or another row: it tells when it is done. */
  async #watch({ identity, prepare: _, ...row }: RowToRun): Promise<void> {
    const { batchId, runId, sink } = this.#input;
    const batchWorkflowId = workflowInfo().workflowId;
    const customer = getExternalWorkflowHandle(this.#customerId({ identity }));
    try {
      const waiter = { ...row, batchWorkflowId, batchId, runId, sink, latch: this.#latch };
      await customer.signal(watchCustomer, waiter);
    } catch {
      // It has just ended.
      this.window.requeue(row.row, Date.now() + AGAIN_AFTER_MS);
    }
  }

  get #latch(): string {
    return `${this.#input.runId}/${this.window.resumes}`;
  }

  #customerId({ identity }: Pick<RowToRun, "identity">): string {
    return customerWorkflowId(this.#input.scope, this.#input.playbookKey, identity);
  }

  #customerInput(row: RowToRun): CustomerInput {
    const { identity: _, ...rest } = row;
    const { batchId, runId, syncTimeoutSecs, sink, plainOutput, timing } = this.#input;
    return {
      ...rest,
      ...{ batchId, runId, syncTimeoutSecs, sink, plainOutput, timing },
      latch: this.#latch,
      startedAt: new Date().toISOString(),
      batchWorkflowId: workflowInfo().workflowId,
      outputExpected: this.window.outputsExpected,
    };
  }

  async #inspect(): Promise<void> {
    const rows = this.window.silent(this.#input.timing.reportTimeout, Date.now());
    if (rows.length === 0) return;
    const { batchId, runId, scope, playbookKey, sink } = this.#input;
    const found = await inspectCustomers({ batchId, runId, scope, playbookKey, sink, rows });
    this.window.heard(found.running, Date.now());
    for (const report of found.ended) this.window.report(report, Date.now());
  }

  /** What waits is cancelled, what runs is told to stop: also customers that wait for people. */
  async #cancelRest(): Promise<void> {
    await condition(() => !this.#recorder.writing);
    // A customer that is just being started can't be told to stop.
    await condition(() => this.#starting === 0);
    const rows = this.window.takeUnstarted().map(({ row }) => row);
    for (const from of new Set(rows.map((row) => row - (row % ROWS_AT_ONCE)))) {
      const to = Math.min(this.upTo, from + ROWS_AT_ONCE);
      const only = rows.filter((row) => row >= from && row < to);
      const { ended } = await planCustomers({ ...this.#planning, from, to, only });
      this.window.endUnstarted(ended);
    }
    if (this.#stopping) return;
    this.#stopping = true;
    const { batchId, scope, playbookKey } = this.#input;
    for (const row of this.window.outstanding) {
      const customer = getExternalWorkflowHandle(this.#customerId(row));
      await customer.signal(stopCustomer, { batchId }).catch(() => undefined);
    }
    const { needs_customer, pending, none } = this.window.counts;
    if (needs_customer + pending + none + this.window.manualReview === 0) return;
    const begun = this.window.carry().next;
    for (let from = 0; from < begun; from += ROWS_AT_ONCE) {
      const to = Math.min(begun, from + ROWS_AT_ONCE);
      await stopCustomers({ batchId, scope, playbookKey, from, to });
    }
  }
}
