import { NO_CALLS } from "../../../domain/counts.js";
import type { CustomerInput, CustomerReport } from "../../../domain/onboarding/batch/batch-rows.js";
import {
  type CustomerState,
  isOutcomeDue,
  rowVerdict,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import {
  type AddressedReport,
  afterStep,
  type CustomerStep,
  NO_TRIES,
  type OpenCustomer,
  type OutcomeToRecord,
} from "../../../domain/onboarding/customer/open-customer.js";
import { decideWaiter, type ProcessedCustomer } from "../../../domain/onboarding/customer/waiting-rows.js";
import { freed } from "../../../domain/onboarding/follow/shard.js";
import { adoptedEvent, type Outcome, outcomeEvent } from "../../../domain/onboarding/outcome.js";
import { keptOutcome } from "../../../lake/onboarding/frozen-batch.js";
import { stageOutcome } from "../customer/stage-outcome.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** An open row while it is worked on: what is known of it, what batches are to be told, and what is to be written. */
export class RowInWork {
  readonly reports: AddressedReport[] = [];
  readonly records: OutcomeToRecord[] = [];
  /** Rows that wait until the customer is free: once there are any, this is the row's last step. */
  #waiting: CustomerInput[] = [];
  #one: OpenCustomer;
  /** As it was before the step in progress, which is tried again from here; and what was said until then. */
  #before: { readonly one: OpenCustomer; readonly reports: number; readonly records: number };

  /** Whether the service is asked for its onboarding, and has not answered. */
  isPosting = false;
  /** Whether its own batch ends it: other rows must not take that end for their outcome. */
  endIsOwn = false;

  constructor(
    readonly deps: OnboardingDependencies,
    one: OpenCustomer,
    /** Epoch milliseconds. */
    readonly now: () => number,
  ) {
    this.#one = one;
    this.#before = { one, reports: 0, records: 0 };
  }

  get one(): OpenCustomer {
    return this.#one;
  }

  /** Whether another row waits until this one is over. */
  get isSuperseded(): boolean {
    return this.#waiting.length > 0;
  }

  set(change: Partial<OpenCustomer>): void {
    this.#one = { ...this.#one, ...change };
  }

  /** Tells the row's batch. */
  tell(report: CustomerReport): void {
    this.reports.push({ batchWorkflowId: this.#one.input.batchWorkflowId, report });
  }

  /** From here the row is worked on again if what follows fails. */
  mark(): void {
    this.#before = { one: this.#one, reports: this.reports.length, records: this.records.length };
  }

  /** Runs a step that may be tried again, from where the row is now. */
  async try<R>(work: () => Promise<R>): Promise<R> {
    this.mark();
    const result = await work();
    this.set({ tries: NO_TRIES });
    return result;
  }

  /** Takes a step back that failed: the row, with its earlier failures. */
  undo(): OpenCustomer {
    const { one, reports, records } = this.#before;
    this.#one = one;
    this.reports.length = reports;
    this.records.length = records;
    this.#waiting = [];
    return one;
  }

  /** Applies a step; false where the credentials were refused. */
  async apply(step: CustomerStep): Promise<boolean> {
    this.#one = afterStep(this.#one, step);
    if (step.outcome !== undefined) await this.#record(step.outcome);
    return !step.unauthorized;
  }

  /** Changes the state without asking the service, and stages the outcome where one is due. */
  async change(state: CustomerState, event: string, failure: OutcomeFacts = {}): Promise<void> {
    this.set({ state });
    if (!isOutcomeDue(this.#one.recorded, state)) return;
    const events = [outcomeEvent(event, state.status)];
    const staged = await stageOutcome(this.deps, this.#one, state, { ...failure, events });
    await this.apply({ ...staged, ...NO_CALLS });
  }

  /** Writes an outcome, and copies it to every row that reuses it. */
  async #record(outcome: Outcome): Promise<void> {
    this.#write(this.#one.input, outcome);
    const reused = [];
    for (const { waiter, version: earlier } of this.#one.reused) {
      const version = earlier + 1;
      await this.#copy(outcome, waiter, version);
      reused.push({ waiter, version });
    }
    this.set({ reused });
  }

  /** Answers the rows that wait for this one, once it is processed. */
  async answerWaiters(): Promise<void> {
    const customer = { row: this.#one.input, state: this.#one.state, endIsOwn: this.endIsOwn };
    for (const waiter of this.#takeWaiters(() => true)) await this.#answer(waiter, customer);
  }

  /** Tells batches that the customer is free: they run the rows that waited. */
  releaseWaiters(): void {
    this.reports.push(...[...this.#waiting.splice(0), ...this.#takeWaiters(() => true)].map(freed));
  }

  /** Gives a cancelled batch its unanswered rows back; those that reuse outcomes keep the last one. */
  leaveBatch(batchId: string): void {
    const isOf = (waiter: CustomerInput) => waiter.batchId === batchId;
    this.set({ reused: this.#one.reused.filter(({ waiter }) => !isOf(waiter)) });
    this.reports.push(...this.#takeWaiters(isOf).map(freed));
  }

  #takeWaiters(isTaken: (waiter: CustomerInput) => boolean): readonly CustomerInput[] {
    const { mail } = this.#one;
    this.set({ mail: { ...mail, waiters: mail.waiters.filter((waiter) => !isTaken(waiter)) } });
    return mail.waiters.filter(isTaken);
  }

  async #answer(waiter: CustomerInput, customer: ProcessedCustomer): Promise<void> {
    const { reused } = this.#one;
    const decision = decideWaiter(waiter, customer, reused);
    if (decision === "wait") {
      this.#waiting.push(waiter);
      return;
    }
    const { copy, version, reuses } = decision;
    if (copy !== null) {
      const { sealed } = this.deps;
      const copied = await keptOutcome(sealed, this.#one.input.batchId, copy).require();
      await this.#copy(copied, waiter, version);
    }
    if (reuses) this.set({ reused: [...reused, { waiter, version }] });
    const { batchWorkflowId, row } = waiter;
    const silent = { ...NO_CALLS, messageHash: null, outputAwaited: false };
    this.reports.push({
      batchWorkflowId,
      report: { kind: "done", row, ...rowVerdict(customer.state), ...silent },
    });
  }

  /** Writes an outcome for a row that posted nothing. */
  async #copy(copied: Outcome, waiter: CustomerInput, version: number): Promise<void> {
    const { batchId, line, attempt } = waiter;
    const events = [adoptedEvent({ ...copied, batch_id: this.#one.input.batchId }, copied.status)];
    const outcome = { ...copied, line, attempt, version, events };
    await keptOutcome(this.deps.sealed, batchId, outcome).put(outcome);
    this.#write(waiter, outcome);
  }

  #write({ batchId, runId, plainOutput }: CustomerInput, outcome: Outcome): void {
    this.records.push({ run: { batchId, runId, plainOutput }, outcome });
  }
}
