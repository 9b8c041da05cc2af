import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { CustomerReport, OpenOutcome, OutcomeRef } from "../../domain/onboarding/batch/batch-rows.js";
import { type CustomerState, rowStatus } from "../../domain/onboarding/customer/customer-state.js";
import type {
  CarriedWaiters,
  CustomerRef,
  ReusedRow,
} from "../../domain/onboarding/customer/customer-step.js";
import type { WaitRequest } from "../../domain/onboarding/messages.js";
import { HEARTBEATING } from "../policies.js";
import { customerReported } from "./messages.js";
import { isStagingLost } from "./staging-lost.js";

const { reuseOutcome, recordOutcomes } = proxyActivities<Activities>(HEARTBEATING);

/** Tells a batch; it may have ended, and then nobody waits for what is told. */
export async function tellBatch(workflowId: string, report: CustomerReport): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(customerReported, report);
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}

/**
 * Rows of other batches that are about this customer. The same row, to the last value, gets this one's outcomes
 * and posts nothing; another row waits until the customer is free.
 */
export class CustomerWaiters {
  #state: CarriedWaiters;
  #endIsOwn = false;

  constructor(
    private readonly customer: CustomerRef,
    private readonly plainOutput: boolean,
    carried: CarriedWaiters = { reused: [], waiting: [] },
  ) {
    this.#state = carried;
  }

  /** Whether another row waits for this one to be over. */
  get superseded(): boolean {
    return this.#state.waiting.length > 0;
  }

  /** A row that has this one's outcomes and goes on in its place; none where another row takes over. */
  get successor(): ReusedRow | undefined {
    return this.superseded ? undefined : this.#state.reused[0];
  }

  /**
   * The row is stopped for its own batch, at whatever it had come to: others don't get that for an outcome, they
   * run the row themselves and find the answer that was kept.
   */
  keepEnd({ phase }: CustomerState): void {
    if (phase !== "settled" && !this.superseded) this.#endIsOwn = true;
  }

  /** Takes in who waits, once the row is processed; those that could not be told wait until the customer is free. */
  async admit(waiters: readonly WaitRequest[], state: CustomerState, outcome: OutcomeRef): Promise<void> {
    const left = [...waiters];
    try {
      for (const waiter of waiters) {
        await this.#admit(waiter, state, outcome);
        left.shift();
      }
    } finally {
      for (const waiter of left) this.#wait(waiter);
    }
  }

  /** A later version of the outcome is one of every row that reuses it. */
  async follow(outcome: OutcomeRef): Promise<void> {
    for (const reused of this.#state.reused) {
      const version = reused.version + 1;
      const { waiter } = reused;
      const ref = await reuseOutcome({ batchId: this.customer.batchId, outcome, waiter, version });
      const isRecorded = await this.#record(waiter, ref);
      const followed = isRecorded ? [{ waiter, version }] : [];
      this.#setReused((all) => all.flatMap((one) => (one === reused ? followed : [one])));
    }
  }

  /** The customer is free: rows that waited are planned again by their batches, those too that come meanwhile. */
  async release(take: () => readonly WaitRequest[]): Promise<void> {
    for (let free = [...this.#state.waiting, ...take()]; free.length > 0; free = [...take()]) {
      for (const { batchWorkflowId, row } of free) await tellBatch(batchWorkflowId, { kind: "free", row });
    }
  }

  /**
   * Their batch was cancelled: its rows that wait are given back to it, whatever is being done here, and those that
   * have this one's outcomes keep the last. What is said is on its way at once, and not waited for.
   */
  leave(batchId: string, waiters: readonly WaitRequest[]): void {
    this.#setReused((all) => all.filter(({ waiter }) => waiter.batchId !== batchId));
    void CancellationScope.nonCancellable(() =>
      Promise.all(
        waiters.map(({ batchWorkflowId, row }) => tellBatch(batchWorkflowId, { kind: "free", row })),
      ),
    );
  }

  carry(): CarriedWaiters {
    return this.#state;
  }

  async #admit(waiter: WaitRequest, state: CustomerState, outcome: OutcomeRef): Promise<void> {
    if (waiter.rowKey !== this.customer.rowKey) this.#wait(waiter);
    else if (this.#isOwn(waiter)) await this.#tell(waiter, state, await this.#first(waiter));
    else if (this.#endIsOwn || isRetryOf(waiter, state)) this.#wait(waiter);
    else await this.#reuse(waiter, state, outcome);
  }

  /**
   * The first outcome of the row itself, asked for by a later run of its batch: where the tables don't know the row,
   * the run before ended before it wrote that one. Later versions are written here. Where it is not staged any more,
   * this workflow fails, and the row is free.
   */
  async #first(waiter: WaitRequest): Promise<OutcomeRef | null> {
    const { batchId, row, line, attempt, open } = waiter;
    if (open !== null) return null;
    return reuseOutcome({ batchId, outcome: { row, line, attempt, version: 1 }, waiter, version: 1 });
  }

  #wait(waiter: WaitRequest): void {
    this.#state = { ...this.#state, waiting: [...this.#state.waiting, waiter] };
  }

  #setReused(change: (reused: readonly ReusedRow[]) => readonly ReusedRow[]): void {
    this.#state = { ...this.#state, reused: change(this.#state.reused) };
  }

  // The same batch again: its outcome is there already.
  #isOwn({ batchId, line, attempt }: WaitRequest): boolean {
    const { customer } = this;
    return batchId === customer.batchId && line === customer.line && attempt === customer.attempt;
  }

  async #reuse(waiter: WaitRequest, state: CustomerState, outcome: OutcomeRef): Promise<void> {
    const known = this.#state.reused.find(({ waiter: { batchId, line, attempt } }) => {
      return batchId === waiter.batchId && line === waiter.line && attempt === waiter.attempt;
    });
    const { open } = waiter;
    if (known !== undefined && open !== null) return this.#tell(waiter, state, null);
    if (open !== null && isAsKnown(state, open)) {
      this.#setReused((all) => [...all, { waiter, version: open.version }]);
      return this.#tell(waiter, state, null);
    }
    const { batchId } = this.customer;
    const version = (open?.version ?? 0) + 1;
    const ref = await reuseOutcome({ batchId, outcome, waiter, version });
    // Known, it is asked for by a later run of its batch, which the tables don't tell of it.
    if (known === undefined) this.#setReused((all) => [...all, { waiter, version }]);
    await this.#tell(waiter, state, ref);
  }

  async #tell(
    { batchWorkflowId, row }: WaitRequest,
    state: CustomerState,
    record: OutcomeRef | null,
  ): Promise<void> {
    await tellBatch(batchWorkflowId, {
      kind: "done",
      row,
      record,
      calls: 0,
      messageHash: null,
      outputAwaited: false,
      status: rowStatus(state),
      requiresManualReview: state.requiresManualReview,
    });
  }

  /** False where the staging of the row's batch is gone: the row keeps its last status. */
  async #record({ batchId, runId }: WaitRequest, ref: OutcomeRef): Promise<boolean> {
    const chunk = `${ref.line}-${ref.attempt}-${ref.version}`;
    try {
      await recordOutcomes({ batchId, runId, chunk, plainOutput: this.plainOutput, rows: [ref] });
      return true;
    } catch (error) {
      if (isStagingLost(error)) return false;
      throw error;
    }
  }
}

/** Whether the onboarding is the very one that the row is to be run again for. */
function isRetryOf({ retry, before }: WaitRequest, { onboardingId }: CustomerState): boolean {
  return retry === true && before === onboardingId;
}

/** Whether a row that was planned as reusing the outcome says what is known now. */
function isAsKnown(state: CustomerState, { status, requiresManualReview }: OpenOutcome): boolean {
  return rowStatus(state) === status && state.requiresManualReview === requiresManualReview;
}
