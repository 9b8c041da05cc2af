import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import {
  type CustomerReport,
  doneWithoutCalls,
  type OutcomeRef,
} from "../../domain/onboarding/batch/batch-rows.js";
import { type CustomerState, rowStatus } from "../../domain/onboarding/customer/customer-state.js";
import {
  type CarriedWaiters,
  decideWaiter,
  type ProcessedCustomer,
  type ReusedRow,
} from "../../domain/onboarding/customer/waiting-rows.js";
import type { WaitRequest } from "../../domain/onboarding/messages.js";
import { HEARTBEATING } from "../policies.js";
import { customerReported } from "./messages.js";
import { isStagingLost } from "./staging-lost.js";

const { reuseOutcome, recordOutcomes } = proxyActivities<Activities>(HEARTBEATING);

/** Reports to a batch. If the batch has ended, nobody waits for the report, so that is no failure. */
export async function reportTo(batchWorkflowId: string, report: CustomerReport): Promise<void> {
  try {
    await getExternalWorkflowHandle(batchWorkflowId).signal(customerReported, report);
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}

/** Serves the rows of other batches that are about this customer. */
export class CustomerWaiters {
  #waiters: CarriedWaiters;

  constructor(
    private readonly batchId: string,
    private readonly plainOutput: boolean,
    carried: CarriedWaiters,
  ) {
    this.#waiters = carried;
  }

  get carried(): CarriedWaiters {
    return this.#waiters;
  }

  /** Answers waiting rows once this one is processed; if that fails, the others wait until the customer is free. */
  async answer(waiters: readonly WaitRequest[], customer: ProcessedCustomer): Promise<void> {
    const left = [...waiters];
    try {
      for (const waiter of waiters) {
        await this.#answer(waiter, customer);
        left.shift();
      }
    } finally {
      for (const waiter of left) this.#wait(waiter);
    }
  }

  /** Copies a later version of the outcome to every row that reuses it. */
  async follow(outcome: OutcomeRef): Promise<void> {
    for (const reused of this.#waiters.reused) {
      const { waiter } = reused;
      const version = reused.version + 1;
      const copy = await reuseOutcome({ batchId: this.batchId, outcome, waiter, version });
      const isRecorded = await this.#record(waiter, copy);
      const followed = isRecorded ? [{ waiter, version }] : [];
      this.#setReused((all) => all.flatMap((one) => (one === reused ? followed : [one])));
    }
  }

  /** Tells batches that the customer is free: they start the rows that waited, and those that came meanwhile, again. */
  async release(take: () => readonly WaitRequest[]): Promise<void> {
    for (let free = [...this.#waiters.waiting, ...take()]; free.length > 0; free = [...take()]) {
      for (const { batchWorkflowId, row } of free) await reportTo(batchWorkflowId, { kind: "free", row });
    }
  }

  /** Gives a cancelled batch its unanswered rows back at once; those that reuse outcomes keep the last one. */
  leave(batchId: string, unanswered: readonly WaitRequest[]): void {
    this.#setReused((all) => all.filter(({ waiter }) => waiter.batchId !== batchId));
    void CancellationScope.nonCancellable(() =>
      Promise.all(
        unanswered.map(({ batchWorkflowId, row }) => reportTo(batchWorkflowId, { kind: "free", row })),
      ),
    );
  }

  async #answer(waiter: WaitRequest, customer: ProcessedCustomer): Promise<void> {
    const decision = decideWaiter(waiter, customer, this.#waiters);
    if (decision === "wait") return this.#wait(waiter);
    const { copy, version, reuses } = decision;
    const { batchId } = this;
    const record = copy === null ? null : await reuseOutcome({ batchId, outcome: copy, waiter, version });
    if (reuses) this.#setReused((all) => [...all, { waiter, version }]);
    await this.#report(waiter, customer.state, record);
  }

  #wait(waiter: WaitRequest): void {
    this.#waiters = { ...this.#waiters, waiting: [...this.#waiters.waiting, waiter] };
  }

  #setReused(change: (reused: readonly ReusedRow[]) => readonly ReusedRow[]): void {
    this.#waiters = { ...this.#waiters, reused: change(this.#waiters.reused) };
  }

  #report(
    { batchWorkflowId, row }: WaitRequest,
    state: CustomerState,
    record: OutcomeRef | null,
  ): Promise<void> {
    const { requiresManualReview } = state;
    const ended = { status: rowStatus(state), requiresManualReview, record };
    return reportTo(batchWorkflowId, doneWithoutCalls(row, ended));
  }

  /** Records an outcome for a row; false where the staging of its batch is gone, and the row keeps its last status. */
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
