import type { CustomerReport, OutcomeRef } from "../../../domain/onboarding/batch/batch-rows.js";
import { isOutputAwaited, refOf } from "../../../domain/onboarding/customer/customer-input.js";
import {
  afterStep,
  type Customer,
  dueStep,
  endOf,
  hasLinkEnded,
  isOverdue,
  newsTaken,
  withProgress,
} from "../../../domain/onboarding/customer/customer-progress.js";
import {
  afterDeadline,
  afterDecisionTimeout,
  afterFailure,
  afterLink,
  afterStop,
  type CustomerState,
  isOutcomeDue,
  rowStatus,
  withoutLink,
} from "../../../domain/onboarding/customer/customer-state.js";
import type {
  CustomerStep,
  CustomerStepInput,
  StepFailure,
} from "../../../domain/onboarding/customer/customer-step.js";
import { withPoll } from "../../../domain/onboarding/customer/poll-schedule.js";
import { isSuperseded } from "../../../domain/onboarding/customer/waiting-rows.js";
import {
  type AddressedReport,
  inherited,
  NO_TRIES,
  type OpenCustomer,
  type OutcomeToRecord,
} from "../../../domain/onboarding/follow/open-customer.js";
import type { CustomerEvent, SessionValidated } from "../../../domain/onboarding/messages.js";
import { deliverLink } from "../customer/deliver-continuation.js";
import { finishCustomer } from "../customer/finish-customer.js";
import { pollOnboarding } from "../customer/poll-onboarding.js";
import { postOnboarding } from "../customer/post-onboarding.js";
import { prepareCustomer } from "../customer/prepare-customer.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { WaitingRows } from "./waiting-rows.js";

/** The failure of a row whose request was abandoned. */
const UNANSWERED: StepFailure = {
  error_class: "InterruptedError",
  error_message:
    "the batch was cancelled before the service answered the request, so it is not known whether the service carried it out; runs retry looks for it before it sends anything",
};

/** One open row while it is worked on: acts on what `customer-progress.ts` decides. Only staged names leave it. */
export class OpenRow {
  readonly reports: AddressedReport[] = [];
  readonly records: OutcomeToRecord[] = [];
  readonly #waiters: WaitingRows;
  #one: OpenCustomer;
  /** As it was before the step in progress, which is tried again from here; and what was said until then. */
  #before: { readonly one: OpenCustomer; readonly reports: number; readonly records: number };
  #isPosting = false;
  #endIsOwn = false;
  /** Whether the row is given back to its batch, which runs it again. */
  #isPutBack = false;

  constructor(
    private readonly deps: OnboardingDependencies,
    one: OpenCustomer,
  ) {
    this.#one = one;
    this.#before = { one, reports: 0, records: 0 };
    this.#waiters = new WaitingRows(deps, this);
  }

  get one(): OpenCustomer {
    return this.#one;
  }

  get customer(): Customer {
    return this.#one.customer;
  }

  /** Does what is due, and returns the row as it stays open; null where it is finished. */
  async step(): Promise<OpenCustomer | null> {
    this.#takeStops();
    if (this.#one.output !== null) await this.#fetchOutput();
    else if (!this.#one.posted) await this.#post();
    else await this.#act();
    return this.#conclude();
  }

  /** Takes a step back that failed: the row, with its earlier failures. */
  undo(): OpenCustomer {
    const { one, reports, records } = this.#before;
    this.#one = one;
    this.reports.length = reports;
    this.records.length = records;
    return one;
  }

  /** Ends a row whose step can't succeed. */
  async fail(failure: StepFailure): Promise<OpenCustomer | null> {
    this.undo();
    await this.#change(afterFailure(this.#state), "failed", failure);
    this.#set({ posted: true, tries: NO_TRIES });
    return this.#conclude();
  }

  /** Leaves off where its batch is cancelled; a request without an answer fails. */
  async abandon(): Promise<OpenCustomer | null> {
    if (!this.#isPosting) return this.undo();
    this.#keepEnd();
    return this.fail(UNANSWERED);
  }

  /** Tells the batches of a row whose staging is lost, and of those that wait for it. */
  lose(message: string): null {
    this.undo();
    const { row, runId } = this.#one.input;
    this.tell({ kind: "lost", row, runId, message });
    this.#waiters.release();
    return null;
  }

  set(change: Partial<Customer>): void {
    this.#one = { ...this.#one, customer: { ...this.#one.customer, ...change } };
  }

  tell(report: CustomerReport): void {
    this.reports.push({ batchWorkflowId: this.#one.input.batchWorkflowId, report });
  }

  get #state(): CustomerState {
    return this.customer.progress.state;
  }

  #set(change: Partial<OpenCustomer>): void {
    this.#one = { ...this.#one, ...change };
  }

  #progress(change: Partial<Customer["progress"]>): void {
    this.set(withProgress(this.customer, change));
  }

  get #input(): CustomerStepInput {
    const { state, recorded } = this.customer.progress;
    return { ...refOf(this.#one.input), state, recorded, tries: this.#one.tries };
  }

  /** Runs a step that may be tried again, from where the row is now. */
  async #try<R>(work: () => Promise<R>): Promise<R> {
    this.#mark();
    const result = await work();
    this.#set({ tries: NO_TRIES });
    return result;
  }

  #takeStops(): void {
    const { mail } = this.customer;
    this.set({ mail: { ...mail, stops: [] } });
    for (const batchId of mail.stops) {
      if (batchId === this.#one.input.batchId) this.set({ stopped: true });
      else this.#waiters.leave(batchId);
    }
    this.#mark();
  }

  #mark(): void {
    this.#before = { one: this.#one, reports: this.reports.length, records: this.records.length };
  }

  /** Prepares and posts the customer. */
  async #post(): Promise<void> {
    const { prepare, syncTimeoutSecs } = this.#one.input;
    if (this.customer.stopped) return this.#stop();
    this.#isPosting = true;
    if (prepare) {
      const step = await this.#try(() => prepareCustomer(this.deps, this.#input));
      this.#set({ input: { ...this.#one.input, prepare: false } });
      if (!(await this.#apply(step))) return this.#putBack();
    }
    if (this.#state.phase !== "settled") {
      const step = await this.#try(() => postOnboarding(this.deps, { ...this.#input, syncTimeoutSecs }));
      if (!(await this.#apply(step))) return this.#putBack();
    }
    this.#isPosting = false;
    this.#set({ posted: true });
  }

  #putBack(): void {
    this.#isPutBack = true;
    this.tell({ kind: "requeued", row: this.#one.input.row, calls: this.customer.progress.calls });
  }

  async #act(): Promise<void> {
    if (this.customer.progress.link !== null) return;
    const { timing } = this.#one.input;
    const now = Date.now();
    const due = dueStep(this.customer, timing, now);
    if (due === "news") return this.#pollForNews();
    if (due === "deadline") return this.#change(afterDeadline(this.#state), "deadline");
    if (due === "poll") await this.#poll([], []);
    if (due === undefined || !isOverdue(this.customer, now)) return;
    await this.#change(afterDecisionTimeout(this.#state), "patience");
  }

  async #pollForNews(): Promise<void> {
    const { customer, events, sessions } = newsTaken(this.customer);
    if (events.length + sessions.length > 0) await this.#poll(events, sessions, customer);
    else this.set(customer);
  }

  async #poll(
    events: readonly CustomerEvent[],
    sessions: readonly SessionValidated[],
    customer = this.customer,
  ): Promise<void> {
    const { hints } = customer.polls;
    const input = { ...this.#input, events: [...hints, ...events], sessions };
    const step = await this.#try(() => pollOnboarding(this.deps, input));
    this.set({ ...customer, polls: withPoll(customer.polls, Date.now()) });
    if (!(await this.#apply(step))) this.tell({ kind: "refused", row: this.#one.input.row, calls: 0 });
    if (hasLinkEnded(this.customer, Date.now())) await this.#change(withoutLink(this.#state), "link_ended");
  }

  /** Applies a step; false where the credentials were refused. */
  async #apply(step: CustomerStep): Promise<boolean> {
    const { customer, record } = afterStep(this.customer, step, this.#one.input.open !== null);
    this.set(customer);
    if (record !== null) await this.#record(record);
    return !step.unauthorized;
  }

  async #record(outcome: OutcomeRef): Promise<void> {
    const { batchId, runId, plainOutput } = this.#one.input;
    this.records.push({ batchId, runId, plainOutput, outcome });
    await this.#waiters.follow(outcome);
  }

  /** Changes the state without asking the service, and stages the outcome where one is due. */
  async #change(state: CustomerState, event: string, failure: StepFailure | null = null): Promise<void> {
    this.#progress({ state });
    if (!isOutcomeDue(this.customer.progress.recorded, state)) return;
    await this.#apply(await finishCustomer(this.deps, { ...this.#input, event, failure }));
  }

  /** Delivers a continuation, reports to the batch, and answers the rows that wait, once the row is processed. */
  async #report(): Promise<void> {
    const { row, line, attempt } = this.#one.input;
    if (this.#state.phase === "machine") return;
    await this.#deliver();
    const { state, told, first, calls, messageHash, refused } = this.customer.progress;
    const { requiresManualReview, version } = state;
    if (!told) {
      this.#progress({ told: true });
      this.tell({
        kind: "done",
        row,
        record: first,
        calls,
        messageHash,
        ...(refused && { refused }),
        outputAwaited: isOutputAwaited(this.#one.input, state),
        status: rowStatus(state),
        requiresManualReview,
      });
    }
    if (version === 0) return;
    const outcome = { row, line, attempt, version };
    await this.#waiters.answer({ row: this.#one.input, state, outcome, endIsOwn: this.#endIsOwn });
  }

  async #deliver(): Promise<void> {
    const { link } = this.customer.progress;
    if (link === null) return;
    const { delivered } = await this.#try(() => deliverLink(this.deps, { ...this.#input, link }));
    this.#progress({ link: null });
    const state = delivered ? afterLink(this.#state, link.expiresAt) : withoutLink(this.#state);
    await this.#change(state, "link");
  }

  /** Ends with the last status: the batch was cancelled, or another row takes over. */
  async #stop(): Promise<void> {
    this.#keepEnd();
    await this.#change(afterStop(this.#state), "stopped");
    this.#set({ posted: true });
  }

  /** Notes that the row's own batch stops it before its end: other rows must not take that end for their outcome. */
  #keepEnd(): void {
    if (this.#state.phase !== "settled" && !isSuperseded(this.customer.waiters)) this.#endIsOwn = true;
  }

  async #conclude(): Promise<OpenCustomer | null> {
    if (!this.#isPutBack) {
      await this.#report();
      const end = endOf(this.customer);
      if (end === undefined) return this.#one;
      if (end === "inherited") return inherited(this.#one);
      if (end === "stopped") {
        await this.#stop();
        await this.#report();
      }
      if (this.#one.output !== null || isOutputAwaited(this.#one.input, this.#state)) {
        const next = this.#nextFetch();
        if (next !== null) return next;
        // Rows that came to wait meanwhile get what there is.
        await this.#report();
      }
    }
    this.#waiters.release();
    return null;
  }

  /** The row until it is asked for its output again; null, and the batch is told, where that has an end. */
  #nextFetch(): OpenCustomer | null {
    const { polls, calls } = this.#one.output ?? { polls: 0, calls: 0 };
    const wait = this.#one.input.timing.outputRetries[polls];
    const { hasOutput } = this.#state;
    const isOver = hasOutput || this.customer.stopped || this.customer.mail.waiters.length > 0;
    if (wait === undefined || isOver) {
      this.tell({ kind: "output", found: hasOutput, calls });
      return null;
    }
    return { ...this.#one, output: { polls, calls, dueAt: Date.now() + wait } };
  }

  /**
   * Polls again for an output that the playbook had not produced yet (docs/reference/service.md, "Onboarding result").
   */
  async #fetchOutput(): Promise<void> {
    const { output } = this.#one;
    if (output === null || this.customer.stopped || this.customer.mail.waiters.length > 0) return;
    const { calls } = this.customer.progress;
    const input = { ...this.#input, events: [], sessions: [] };
    await this.#apply(await this.#try(() => pollOnboarding(this.deps, input)));
    const made = this.customer.progress.calls - calls;
    this.#set({ output: { ...output, polls: output.polls + 1, calls: output.calls + made } });
  }
}
