import { AuthError } from "../../../api/http/errors.js";
import { added, callsOf } from "../../../domain/counts.js";
import type { Unauthorized } from "../../../domain/failures.js";
import type { CustomerReport } from "../../../domain/onboarding/batch/batch-rows.js";
import type { CustomerState } from "../../../domain/onboarding/customer/customer-state.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import {
  type AddressedReport,
  NO_TRIES,
  type OpenCustomer,
  type OutcomeToRecord,
  waitedUntil,
} from "../../../domain/onboarding/customer/open-customer.js";
import { outcomeEvent } from "../../../domain/onboarding/outcome.js";
import { countedCalls } from "../../slice.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { isTokenRefused } from "./customer-failure.js";
import { stageOutcome } from "./stage-outcome.js";

/** An open row while it is worked on, what its batch is to be told, and what is to be written. */
export class RowInWork {
  readonly reports: AddressedReport[] = [];
  readonly records: OutcomeToRecord[] = [];
  /** What to do about a failure whose error doesn't tell that. */
  advice: string | undefined;
  /** Whether the service was sent its onboarding, and has not answered. */
  isPosting = false;
  #one: OpenCustomer;
  /** From where the step in progress is tried again. */
  #before: { readonly one: OpenCustomer; readonly reports: number; readonly records: number };

  constructor(
    readonly deps: OnboardingDependencies,
    one: OpenCustomer,
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

  /** Does what may fail, from where the row is now. */
  async try<R>(work: () => Promise<R>): Promise<R> {
    this.#before = { one: this.#one, reports: this.reports.length, records: this.records.length };
    const result = await work();
    if (this.#one.tries.times > 0) this.tell({ kind: "waits", row: this.#one.input.row, waits: null });
    this.set({ tries: NO_TRIES });
    return result;
  }

  /**
   * The same with calls of the service, which are counted; gives why it refused the key, where it did.
   *
   * @param withheld values that no error message may quote
   */
  call(
    withheld: unknown,
    work: (deps: OnboardingDependencies) => Promise<void>,
  ): Promise<Unauthorized | undefined> {
    return this.try(async () => {
      const counted = countedCalls(this.deps, withheld);
      try {
        await work(counted.deps);
        return undefined;
      } catch (error) {
        if (!(error instanceof AuthError) || isTokenRefused(error)) throw error;
        if (error.sent) this.deps.warnings.once(this.#one.input.authEpoch, "unauthorized", {}, error.message);
        return error.mayNot ?? true;
      } finally {
        this.set(added(callsOf(this.#one), counted.sent));
      }
    });
  }

  /** Takes the step in progress back; its calls were made. */
  undo(): OpenCustomer {
    const { one, reports, records } = this.#before;
    this.#one = { ...one, ...callsOf(this.#one) };
    this.reports.length = reports;
    this.records.length = records;
    return this.#one;
  }

  /** Changes the state, and stages its outcome where one is due. */
  async change(state: CustomerState, event: string | null, given?: OutcomeFacts): Promise<void> {
    const facts = { ...(event !== null && { events: [outcomeEvent(event, state.status)] }), ...given };
    const row = { ...this.#one, deadline: waitedUntil(this.#one, state, Date.now()) };
    const { outcome, ...staged } = await stageOutcome(this.deps, row, state, facts);
    this.set(staged);
    if (outcome === undefined) return;
    const { batchId, runId, plainOutput } = this.#one.input;
    this.set({ recorded: staged.state });
    this.records.push({ run: { batchId, runId, plainOutput }, outcome });
  }
}
