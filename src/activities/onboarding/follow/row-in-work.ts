import { NO_CALLS } from "../../../domain/counts.js";
import type { CustomerReport } from "../../../domain/onboarding/batch/batch-rows.js";
import { type CustomerState, isOutcomeDue } from "../../../domain/onboarding/customer/customer-state.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import {
  type AddressedReport,
  afterStep,
  type CustomerStep,
  NO_TRIES,
  type OpenCustomer,
  type OutcomeToRecord,
} from "../../../domain/onboarding/customer/open-customer.js";
import { outcomeEvent } from "../../../domain/onboarding/outcome.js";
import { stageOutcome } from "../customer/stage-outcome.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** An open row while it is worked on: what is known of it, what batches are to be told, and what is to be written. */
export class RowInWork {
  readonly reports: AddressedReport[] = [];
  readonly records: OutcomeToRecord[] = [];
  #one: OpenCustomer;
  /** As it was before the step in progress, which is tried again from here; and what was said until then. */
  #before: { readonly one: OpenCustomer; readonly reports: number; readonly records: number };

  /** Whether the service is asked for its onboarding, and has not answered. */
  isPosting = false;

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

  set(change: Partial<OpenCustomer>): void {
    this.#one = { ...this.#one, ...change };
  }

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
    if (this.#one.tries.times > 0) this.tell({ kind: "waits", row: this.#one.input.row, waits: null });
    this.set({ tries: NO_TRIES });
    return result;
  }

  /** Takes a step back that failed: the row, with its earlier failures. */
  undo(): OpenCustomer {
    const { one, reports, records } = this.#before;
    this.#one = one;
    this.reports.length = reports;
    this.records.length = records;
    return one;
  }

  /** Applies a step; false where the credentials were refused. */
  apply(step: CustomerStep): boolean {
    this.#one = afterStep(this.#one, step);
    const { batchId, runId, plainOutput } = this.#one.input;
    const { outcome } = step;
    if (outcome !== undefined) this.records.push({ run: { batchId, runId, plainOutput }, outcome });
    return !step.unauthorized;
  }

  /** Changes the state without asking the service, and stages the outcome where one is due. */
  async change(state: CustomerState, event: string, failure: OutcomeFacts = {}): Promise<void> {
    this.set({ state });
    if (!isOutcomeDue(this.#one.recorded, state)) return;
    const events = [outcomeEvent(event, state.status)];
    const staged = await stageOutcome(this.deps, this.#one, state, { ...failure, events });
    this.apply({ ...staged, ...NO_CALLS });
  }
}
