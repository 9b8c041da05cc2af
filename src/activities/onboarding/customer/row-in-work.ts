import { hash } from "node:crypto";
import { AuthError } from "../../../api/http/errors.js";
import { added, callsOf } from "../../../domain/counts.js";
import type { Unauthorized } from "../../../domain/failures.js";
import type { CustomerInput, CustomerReport } from "../../../domain/onboarding/batch/batch-state.js";
import { type CustomerState, isOutcomeDue } from "../../../domain/onboarding/customer/customer-state.js";
import { newOutcome, type OutcomeFacts, troubleOf } from "../../../domain/onboarding/customer/new-outcome.js";
import {
  type AddressedReport,
  NO_TRIES,
  type OpenCustomer,
  type OutcomeToRecord,
  waitedUntil,
} from "../../../domain/onboarding/customer/open-customer.js";
import { type Outcome, outcomeEvent } from "../../../domain/onboarding/outcome.js";
import { keptOutcome } from "../../../lake/onboarding/frozen-batch.js";
import { countedCalls } from "../../slice.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { isTokenRefused } from "./customer-failure.js";

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
  async change(state: CustomerState, event: string | null, more?: OutcomeFacts): Promise<void> {
    const facts = { ...(event !== null && { events: [outcomeEvent(event, state.status)] }), ...more };
    const row = { ...this.#one, deadline: waitedUntil(this.#one, state, Date.now()) };
    const { outcome, ...staged } = await stageOutcome(this.deps, row, state, facts);
    this.set(staged);
    if (outcome === undefined) return;
    const { batchId, runId, plainOutput } = this.#one.input;
    this.set({ recorded: staged.state });
    this.records.push({ run: { batchId, runId, plainOutput }, outcome });
  }
}

interface UnstagedRow extends Pick<OpenCustomer, "recorded">, Partial<Pick<OpenCustomer, "deadline">> {
  readonly input: Pick<CustomerInput, "batchId" | "row" | "line" | "attempt" | "rowKey" | "startedAt">;
}

/** Stages the outcome of a state, sealed, where a new version is due. */
export async function stageOutcome(
  { batches, sealed }: OnboardingDependencies,
  { input, recorded, deadline }: UnstagedRow,
  state: CustomerState,
  facts: OutcomeFacts,
): Promise<{
  readonly state: CustomerState;
  readonly outcome?: Outcome;
  readonly messageHash?: string | null;
}> {
  if (!isOutcomeDue(recorded, state)) return { state };
  const { batchId, row } = input;
  const { customer } = await batches.row(batchId, row);
  const { playbook } = await batches.require(batchId);
  const { version } = state;
  const prior =
    version === 0 ? undefined : await keptOutcome(sealed, batchId, { ...input, version }).require();
  const next = { ...state, version: version + 1 };
  const outcome = newOutcome(input, next, facts, { customer, deadline, prior, playbook });
  await keptOutcome(sealed, batchId, outcome).put(outcome);
  const trouble = troubleOf(outcome, facts, customer);
  const messageHash = trouble === null ? null : hash("sha256", trouble).slice(0, 16);
  return { state: next, outcome, messageHash };
}
