import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { CustomerReport, OpenOutcome, OutcomeRef } from "../../domain/onboarding/batch/batch-rows.js";
import { type CustomerCourse, rowStatus } from "../../domain/onboarding/customer/customer-state.js";
import type {
  AdoptedRow,
  CarriedWatchers,
  CustomerRef,
} from "../../domain/onboarding/customer/customer-step.js";
import type { WatchRequest } from "../../domain/onboarding/messages.js";
import { HEARTBEATING } from "../policies.js";
import { customerReported } from "./messages.js";

const { adoptOutcome, recordOutcomes } = proxyActivities<Activities>(HEARTBEATING);

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
export class CustomerWatchers {
  #state: CarriedWatchers;
  #endIsOwn = false;

  constructor(
    private readonly customer: CustomerRef,
    private readonly plainOutput: boolean,
    carried: CarriedWatchers = { adopted: [], waiting: [] },
  ) {
    this.#state = carried;
  }

  /** Whether another row waits for this one to be over. */
  get superseded(): boolean {
    return this.#state.waiting.length > 0;
  }

  /** A row that has this one's outcomes and goes on in its place; none where another row takes over. */
  get heir(): AdoptedRow | undefined {
    return this.superseded ? undefined : this.#state.adopted[0];
  }

  /**
   * The row is stopped for its own batch, at whatever it had come to: others don't get that for an outcome, they
   * run the row themselves and find the answer that was kept.
   */
  keepEnd({ stage }: CustomerCourse): void {
    if (stage !== "settled" && !this.superseded) this.#endIsOwn = true;
  }

  /** Takes in who watches, once the row is machine done. */
  async admit(watchers: readonly WatchRequest[], course: CustomerCourse, outcome: OutcomeRef): Promise<void> {
    for (const watcher of watchers) {
      if (watcher.rowKey !== this.customer.rowKey) this.#wait(watcher);
      else if (this.#isOwn(watcher)) await this.#tell(watcher, course, firstOf(watcher));
      else if (this.#endIsOwn || isRetryOf(watcher, course)) this.#wait(watcher);
      else await this.#adopt(watcher, course, outcome);
    }
  }

  /** A later version of the outcome is one of every row that adopted it. */
  async follow(outcome: OutcomeRef): Promise<void> {
    for (const adopted of this.#state.adopted) {
      const version = adopted.version + 1;
      const { watcher } = adopted;
      const ref = await adoptOutcome({ batchId: this.customer.batchId, outcome, watcher, version });
      await this.#record(watcher, ref);
      this.#setAdopted((all) => all.map((one) => (one === adopted ? { watcher, version } : one)));
    }
  }

  /** The customer is free: rows that waited are planned again by their batches, those too that come meanwhile. */
  async release(take: () => readonly WatchRequest[]): Promise<void> {
    for (let free = [...this.#state.waiting, ...take()]; free.length > 0; free = [...take()]) {
      for (const { batchWorkflowId, row } of free) await tellBatch(batchWorkflowId, { kind: "free", row });
    }
  }

  /**
   * Their batch was cancelled: its rows that wait are given back to it, whatever is being done here, and those that
   * have this one's outcomes keep the last. What is said is on its way at once, and not waited for.
   */
  leave(batchId: string, watchers: readonly WatchRequest[]): void {
    this.#setAdopted((all) => all.filter(({ watcher }) => watcher.batchId !== batchId));
    void CancellationScope.nonCancellable(() =>
      Promise.all(
        watchers.map(({ batchWorkflowId, row }) => tellBatch(batchWorkflowId, { kind: "free", row })),
      ),
    );
  }

  carry(): CarriedWatchers {
    return this.#state;
  }

  #wait(watcher: WatchRequest): void {
    this.#state = { ...this.#state, waiting: [...this.#state.waiting, watcher] };
  }

  #setAdopted(change: (adopted: readonly AdoptedRow[]) => readonly AdoptedRow[]): void {
    this.#state = { ...this.#state, adopted: change(this.#state.adopted) };
  }

  // The same batch again: its outcome is there already.
  #isOwn({ batchId, line, attempt }: WatchRequest): boolean {
    const { customer } = this;
    return batchId === customer.batchId && line === customer.line && attempt === customer.attempt;
  }

  async #adopt(watcher: WatchRequest, course: CustomerCourse, outcome: OutcomeRef): Promise<void> {
    const known = this.#state.adopted.find(({ watcher: { batchId, line, attempt } }) => {
      return batchId === watcher.batchId && line === watcher.line && attempt === watcher.attempt;
    });
    if (known !== undefined) return this.#tell(watcher, course, firstOf(watcher));
    const { open } = watcher;
    if (open !== null && isAsKnown(course, open)) {
      this.#setAdopted((all) => [...all, { watcher, version: open.version }]);
      return this.#tell(watcher, course, null);
    }
    const { batchId } = this.customer;
    const version = (open?.version ?? 0) + 1;
    const ref = await adoptOutcome({ batchId, outcome, watcher, version });
    this.#setAdopted((all) => [...all, { watcher, version }]);
    await this.#tell(watcher, course, ref);
  }

  async #tell(
    { batchWorkflowId, row }: WatchRequest,
    course: CustomerCourse,
    record: OutcomeRef | null,
  ): Promise<void> {
    await tellBatch(batchWorkflowId, {
      ...{ kind: "done", row, record, calls: 0, messageHash: null, outputAwaited: false },
      status: rowStatus(course),
      requiresManualReview: course.requiresManualReview,
    });
  }

  async #record({ batchId, runId }: WatchRequest, ref: OutcomeRef): Promise<void> {
    const chunk = `${ref.line}-${ref.attempt}-${ref.version}`;
    await recordOutcomes({ batchId, runId, chunk, plainOutput: this.plainOutput, rows: [ref] });
  }
}

/** Whether the onboarding is the very one that the row is to be run again for. */
function isRetryOf({ retry, before }: WatchRequest, { onboardingId }: CustomerCourse): boolean {
  return retry === true && before === onboardingId;
}

/**
 * The first outcome of a row that is asked for again: where the tables don't know the row, its batch ended before
 * it wrote that one. Later versions are written here.
 */
function firstOf({ row, line, attempt, open }: WatchRequest): OutcomeRef | null {
  return open === null ? { row, line, attempt, version: 1 } : null;
}

/** Whether a row that was adopted when it was planned says what is known now. */
function isAsKnown(course: CustomerCourse, { status, requiresManualReview }: OpenOutcome): boolean {
  return rowStatus(course) === status && course.requiresManualReview === requiresManualReview;
}
