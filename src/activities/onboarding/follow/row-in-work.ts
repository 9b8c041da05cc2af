import type { CustomerReport, OutcomeRef } from "../../../domain/onboarding/batch/batch-rows.js";
import { refOf } from "../../../domain/onboarding/customer/customer-input.js";
import {
  afterStep,
  type Customer,
  withProgress,
} from "../../../domain/onboarding/customer/customer-progress.js";
import { type CustomerState, isOutcomeDue } from "../../../domain/onboarding/customer/customer-state.js";
import type {
  CustomerStep,
  CustomerStepInput,
  StepFailure,
} from "../../../domain/onboarding/customer/customer-step.js";
import {
  type AddressedReport,
  NO_TRIES,
  type OpenCustomer,
  type OutcomeToRecord,
} from "../../../domain/onboarding/follow/open-customer.js";
import { finishCustomer } from "../customer/finish-customer.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { WaitingRows } from "./waiting-rows.js";

/** An open row while it is worked on: what is known of it, what its batch is to be told, and what is to be written. */
export class RowInWork {
  readonly reports: AddressedReport[] = [];
  readonly records: OutcomeToRecord[] = [];
  readonly waiters: WaitingRows;
  #one: OpenCustomer;
  /** As it was before the step in progress, which is tried again from here; and what was said until then. */
  #before: { readonly one: OpenCustomer; readonly reports: number; readonly records: number };

  constructor(
    private readonly deps: OnboardingDependencies,
    one: OpenCustomer,
  ) {
    this.#one = one;
    this.#before = { one, reports: 0, records: 0 };
    this.waiters = new WaitingRows(deps, this);
  }

  get one(): OpenCustomer {
    return this.#one;
  }

  get customer(): Customer {
    return this.#one.customer;
  }

  get state(): CustomerState {
    return this.customer.progress.state;
  }

  get stepInput(): CustomerStepInput {
    const { state, recorded } = this.customer.progress;
    return { ...refOf(this.#one.input), state, recorded, tries: this.#one.tries };
  }

  set(change: Partial<Customer>): void {
    this.setRow({ customer: { ...this.customer, ...change } });
  }

  setRow(change: Partial<OpenCustomer>): void {
    this.#one = { ...this.#one, ...change };
  }

  setProgress(change: Partial<Customer["progress"]>): void {
    this.set(withProgress(this.customer, change));
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
    this.setRow({ tries: NO_TRIES });
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
  async apply(step: CustomerStep): Promise<boolean> {
    const { customer, record } = afterStep(this.customer, step, this.#one.input.open !== null);
    this.set(customer);
    if (record !== null) await this.#record(record);
    return !step.unauthorized;
  }

  /** Changes the state without asking the service, and stages the outcome where one is due. */
  async change(state: CustomerState, event: string, failure: StepFailure | null = null): Promise<void> {
    this.setProgress({ state });
    if (!isOutcomeDue(this.customer.progress.recorded, state)) return;
    await this.apply(await finishCustomer(this.deps, { ...this.stepInput, event, failure }));
  }

  async #record(outcome: OutcomeRef): Promise<void> {
    const { batchId, runId, plainOutput } = this.#one.input;
    this.records.push({ batchId, runId, plainOutput, outcome });
    await this.waiters.follow(outcome);
  }
}
