import { doneWithoutCalls, type OutcomeRef } from "../../../domain/onboarding/batch/batch-rows.js";
import type { Customer } from "../../../domain/onboarding/customer/customer-progress.js";
import { rowStatus } from "../../../domain/onboarding/customer/customer-state.js";
import {
  type CarriedWaiters,
  decideWaiter,
  isSameRow,
  type ProcessedCustomer,
} from "../../../domain/onboarding/customer/waiting-rows.js";
import type {
  AddressedReport,
  OpenCustomer,
  OutcomeToRecord,
} from "../../../domain/onboarding/follow/open-customer.js";
import { freed } from "../../../domain/onboarding/follow/shard.js";
import type { WaitRequest } from "../../../domain/onboarding/messages.js";
import { adoptedEvent } from "../../../domain/onboarding/outcome.js";
import { getOutcome, putOutcome } from "../../../lake/onboarding/frozen-batch.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** The row that others wait for. */
interface ServedRow {
  readonly one: OpenCustomer;
  readonly reports: AddressedReport[];
  readonly records: OutcomeToRecord[];
  /** Changes what is known of its customer. */
  set(change: Partial<Customer>): void;
}

/** Serves the rows that wait for another row about the same customer. */
export class WaitingRows {
  constructor(
    private readonly deps: OnboardingDependencies,
    private readonly row: ServedRow,
  ) {}

  /** Answers waiting rows once this one is processed. */
  async answer(customer: ProcessedCustomer): Promise<void> {
    for (const waiter of this.#take(() => true)) await this.#answer(waiter, customer);
  }

  /** Copies a later version of the outcome to every row that reuses it. */
  async follow(outcome: OutcomeRef): Promise<void> {
    const followed = [];
    for (const { waiter, version: earlier } of this.#waiters.reused) {
      const version = earlier + 1;
      this.#record(waiter, await this.#copy(outcome, waiter, version));
      followed.push({ waiter, version });
    }
    this.#set({ reused: followed });
  }

  /** Tells batches that the customer is free: they run the rows that waited. */
  release(): void {
    this.row.reports.push(...[...this.#waiters.waiting, ...this.#take(() => true)].map(freed));
  }

  /** Gives a cancelled batch its unanswered rows back; those that reuse outcomes keep the last one. */
  leave(batchId: string): void {
    const isOf = (waiter: WaitRequest) => waiter.batchId === batchId;
    this.#set({ reused: this.#waiters.reused.filter(({ waiter }) => !isOf(waiter)) });
    this.row.reports.push(...this.#take(isOf).map(freed));
  }

  get #waiters(): CarriedWaiters {
    return this.row.one.customer.waiters;
  }

  #set(change: Partial<CarriedWaiters>): void {
    this.row.set({ waiters: { ...this.#waiters, ...change } });
  }

  #take(isTaken: (waiter: WaitRequest) => boolean): readonly WaitRequest[] {
    const { mail } = this.row.one.customer;
    this.row.set({ mail: { ...mail, waiters: mail.waiters.filter((waiter) => !isTaken(waiter)) } });
    return mail.waiters.filter(isTaken);
  }

  async #answer(waiter: WaitRequest, customer: ProcessedCustomer): Promise<void> {
    const decision = decideWaiter(waiter, customer, this.#waiters);
    if (decision === "wait") return this.#set({ waiting: [...this.#waiters.waiting, waiter] });
    const { copy, version, reuses } = decision;
    const record = copy === null ? null : await this.#copy(copy, waiter, version);
    if (reuses) this.#set({ reused: [...this.#waiters.reused, { waiter, version }] });
    const { state } = customer;
    const ended = { status: rowStatus(state), requiresManualReview: state.requiresManualReview, record };
    const { batchWorkflowId, row } = waiter;
    this.row.reports.push({ batchWorkflowId, report: doneWithoutCalls(row, ended) });
  }

  #copy(outcome: OutcomeRef, waiter: WaitRequest, version: number): Promise<OutcomeRef> {
    const { batchId } = this.row.one.input;
    return reuseOutcome(this.deps, { batchId, outcome, waiter, version });
  }

  #record({ batchId, runId }: WaitRequest, outcome: OutcomeRef): void {
    const { plainOutput } = this.row.one.input;
    this.row.records.push({ batchId, runId, plainOutput, outcome });
  }
}

interface ReuseOutcomeInput {
  readonly batchId: string;
  readonly outcome: OutcomeRef;
  /** A row of another batch with the same values, or the row itself in a later run of its batch. */
  readonly waiter: WaitRequest;
  readonly version: number;
}

/** Stages a customer's outcome for a row that posted nothing; the row that posted has it staged already. */
async function reuseOutcome(
  { sealed }: OnboardingDependencies,
  { batchId, outcome, waiter, version }: ReuseOutcomeInput,
): Promise<OutcomeRef> {
  const found = await getOutcome(sealed, batchId, outcome);
  const { row, line, attempt } = waiter;
  const ref = { row, line, attempt, version };
  const from = { batchId, line: outcome.line, attempt: outcome.attempt };
  if (isSameRow(waiter, from)) return ref;
  const events = [adoptedEvent({ ...from, batch_id: batchId }, found.status)];
  await putOutcome(sealed, waiter.batchId, { ...found, ...ref, events });
  return ref;
}
