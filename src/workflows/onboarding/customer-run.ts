import { condition, proxyActivities, setHandler, sleep, workflowInfo } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { CustomerReport, OutcomeRef } from "../../domain/onboarding/batch/batch-rows.js";
import {
  type CustomerInput,
  isOutputAwaited,
  nextInput,
  refOf,
} from "../../domain/onboarding/customer/customer-input.js";
import { withEvent } from "../../domain/onboarding/customer/customer-mail.js";
import {
  afterStep,
  type CarriedCustomer,
  dueStep,
  endOf,
  hasLinkEnded,
  isOverdue,
  isWoken,
  newCustomer,
  newsTaken,
  wakeAt,
  withProgress,
} from "../../domain/onboarding/customer/customer-progress.js";
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
} from "../../domain/onboarding/customer/customer-state.js";
import type {
  CustomerStep,
  CustomerStepInput,
  StepFailure,
} from "../../domain/onboarding/customer/customer-step.js";
import { withPoll } from "../../domain/onboarding/customer/poll-schedule.js";
import { isSuperseded } from "../../domain/onboarding/customer/waiting-rows.js";
import type { CustomerEvent, SessionValidated, WaitRequest } from "../../domain/onboarding/messages.js";
import { HEARTBEATING, STOP_AFTER_MS } from "../policies.js";
import {
  deliverLink,
  pollOnboarding,
  postOnboarding,
  prepareCustomer,
  UNANSWERED,
  unlessStopped,
} from "./customer-steps.js";
import { CustomerWaiters, reportTo } from "./customer-waiters.js";
import { customerEvent, sessionValidated, stopCustomer, watchCustomer } from "./messages.js";

const { finishCustomer, recordOutcomes } = proxyActivities<Activities>(HEARTBEATING);

/** One execution of a customer's workflow: acts on what `customer-progress.ts` decides. */
export class CustomerRun {
  readonly #input: CustomerInput;
  readonly #waiters: CustomerWaiters;
  #customer: CarriedCustomer;
  #endIsOwn = false;

  constructor(input: CustomerInput) {
    const { batchId, open, plainOutput, timing, carried } = input;
    this.#input = input;
    this.#customer = { ...newCustomer(open, timing, Date.now()), ...carried };
    this.#waiters = new CustomerWaiters(batchId, plainOutput, this.#customer.waiters);
    this.#listen();
  }

  /** Runs to the end of the row, or until the next execution has to continue. */
  async run(): Promise<"done" | "long"> {
    const { carried, open } = this.#input;
    if (carried === undefined && open === null && !(await this.#post())) return "done";
    for (;;) {
      await this.#report();
      const end = endOf(this.#carried, workflowInfo().continueAsNewSuggested);
      if (end === "long") return "long";
      if (end === "stopped") await this.stop();
      if (end !== undefined) break;
      await this.#waitAndAct();
    }
    await this.#fetchOutput();
    return "done";
  }

  /** Makes the input of the next execution: for this row, or for a waiting one that is not stopped with it. */
  next(): CustomerInput {
    return nextInput(this.#input, this.#carried);
  }

  /** Ends with the last status: the batch or the workflow was cancelled, or another row takes over. */
  async stop(): Promise<void> {
    this.#keepEnd();
    await this.#change(afterStop(this.#state), "stopped");
  }

  async fail(failure: StepFailure): Promise<void> {
    await this.#change(afterFailure(this.#state), "failed", failure);
  }

  /** Reports to the batch, unless its staging is lost, and releases the rows that wait, however the run ended. */
  async leave(isLost: boolean): Promise<void> {
    if (!isLost) await this.#report();
    await this.#waiters.release(() => this.#takeWaiters());
  }

  #listen(): void {
    const mail = () => this.#customer.mail;
    setHandler(customerEvent, (event) => this.#setMail(withEvent(mail(), event)));
    setHandler(sessionValidated, (session) => this.#setMail({ sessions: [...mail().sessions, session] }));
    setHandler(watchCustomer, (waiter) => this.#setMail({ waiters: [...mail().waiters, waiter] }));
    setHandler(stopCustomer, ({ batchId }) => {
      if (batchId === this.#input.batchId) this.#setMail({ stopped: true });
      else this.#waiters.leave(batchId, this.#takeWaiters(batchId));
    });
  }

  get #carried(): CarriedCustomer {
    return { ...this.#customer, waiters: this.#waiters.carried };
  }

  #setMail(change: Partial<CarriedCustomer["mail"]>): void {
    const { mail } = this.#customer;
    this.#customer = { ...this.#customer, mail: { ...mail, ...change } };
  }

  /** Takes the rows that wait for an answer: all, or those of one batch. */
  #takeWaiters(batchId?: string): readonly WaitRequest[] {
    const { waiters } = this.#customer.mail;
    const isTaken = (waiter: WaitRequest) => batchId === undefined || waiter.batchId === batchId;
    this.#setMail({ waiters: waiters.filter((waiter) => !isTaken(waiter)) });
    return waiters.filter(isTaken);
  }

  get #state(): CustomerState {
    return this.#customer.progress.state;
  }

  #set(change: Partial<CarriedCustomer["progress"]>): void {
    this.#customer = withProgress(this.#customer, change);
  }

  get #stepInput(): CustomerStepInput {
    const { state, recorded } = this.#customer.progress;
    return { ...refOf(this.#input), state, recorded };
  }

  #reportToBatch(report: CustomerReport): Promise<void> {
    return reportTo(this.#input.batchWorkflowId, report);
  }

  /** Prepares and posts the customer; false where the row was given back and this execution has nothing left to do. */
  async #post(): Promise<boolean> {
    const { prepare, syncTimeoutSecs } = this.#input;
    if (prepare && !this.#customer.mail.stopped) {
      const step = await this.#unlessStopped(() => prepareCustomer(this.#stepInput));
      if (step !== undefined && !(await this.#apply(step))) return this.#putBack();
      if (this.#state.phase === "settled") return true;
    }
    if (this.#customer.mail.stopped) {
      await this.stop();
      return true;
    }
    const step = await this.#unlessStopped(() => postOnboarding({ ...this.#stepInput, syncTimeoutSecs }));
    if (step !== undefined) return (await this.#apply(step)) || this.#putBack();
    this.#keepEnd();
    await this.fail(UNANSWERED);
    return true;
  }

  #unlessStopped(work: () => Promise<CustomerStep>): Promise<CustomerStep | undefined> {
    const decision = 1_000 * (this.#input.syncTimeoutSecs ?? 0);
    return unlessStopped(work, () => this.#customer.mail.stopped, STOP_AFTER_MS + decision);
  }

  /** Notes that the row's own batch stops it before its end: other rows must not take that end for their outcome. */
  #keepEnd(): void {
    if (this.#state.phase !== "settled" && !isSuperseded(this.#waiters.carried)) this.#endIsOwn = true;
  }

  /** Applies a step; false where the credentials were refused. */
  async #apply(step: CustomerStep): Promise<boolean> {
    const { customer, record } = afterStep(this.#customer, step, this.#input.open !== null);
    this.#customer = customer;
    if (record !== null) await this.#record(record);
    return !step.unauthorized;
  }

  async #putBack(): Promise<false> {
    this.#set({ told: true });
    const { calls } = this.#customer.progress;
    await this.#reportToBatch({ kind: "requeued", row: this.#input.row, calls });
    return false;
  }

  async #record(outcome: OutcomeRef): Promise<void> {
    const { batchId, runId, plainOutput } = this.#input;
    const chunk = `${outcome.line}-${outcome.attempt}-${outcome.version}`;
    await recordOutcomes({ batchId, runId, chunk, plainOutput, rows: [outcome] });
    await this.#waiters.follow(outcome);
  }

  /** Delivers a continuation, reports to the batch, and answers the rows that wait, once the row is processed. */
  async #report(): Promise<void> {
    const { row, line, attempt } = this.#input;
    if (this.#state.phase === "machine") return;
    await this.#deliver();
    const { state, told, first, calls, messageHash, refused } = this.#customer.progress;
    const { requiresManualReview, version } = state;
    if (!told) {
      this.#set({ told: true });
      await this.#reportToBatch({
        kind: "done",
        row,
        record: first,
        calls,
        messageHash,
        ...(refused && { refused }),
        outputAwaited: isOutputAwaited(this.#input, state),
        status: rowStatus(state),
        requiresManualReview,
      });
    }
    if (version === 0) return;
    const outcome = { row, line, attempt, version };
    const customer = { row: this.#input, state, outcome, endIsOwn: this.#endIsOwn };
    await this.#waiters.answer(this.#takeWaiters(), customer);
  }

  async #deliver(): Promise<void> {
    const { link } = this.#customer.progress;
    if (link === null) return;
    this.#set({ link: null });
    const { delivered } = await deliverLink({ ...this.#stepInput, link });
    const state = delivered ? afterLink(this.#state, link.expiresAt) : withoutLink(this.#state);
    await this.#change(state, "link");
  }

  /** Changes the state without asking the service, and writes the outcome where one is due. */
  async #change(state: CustomerState, event: string, failure: StepFailure | null = null): Promise<void> {
    this.#set({ state });
    if (!isOutcomeDue(this.#customer.progress.recorded, state)) return;
    await this.#apply(await finishCustomer({ ...this.#stepInput, event, failure }));
  }

  async #waitAndAct(): Promise<void> {
    const { timing } = this.#input;
    const wait = Math.max(1, wakeAt(this.#customer, timing) - Date.now());
    await condition(() => isWoken(this.#customer), wait);
    const now = Date.now();
    const due = dueStep(this.#customer, timing, now);
    if (due === "news") return this.#pollForNews();
    if (due === "deadline") return this.#change(afterDeadline(this.#state), "deadline");
    if (due === "poll") await this.#poll([], []);
    if (due === undefined || !isOverdue(this.#customer, now)) return;
    await this.#change(afterDecisionTimeout(this.#state), "patience");
  }

  async #pollForNews(): Promise<void> {
    const { customer, events, sessions } = newsTaken(this.#customer);
    this.#customer = customer;
    if (events.length + sessions.length > 0) await this.#poll(events, sessions);
  }

  async #poll(events: readonly CustomerEvent[], sessions: readonly SessionValidated[]): Promise<void> {
    const { hints } = this.#customer.polls;
    this.#customer = { ...this.#customer, polls: withPoll(this.#customer.polls, Date.now()) };
    const input = { ...this.#stepInput, events: [...hints, ...events], sessions };
    const step = await this.#unlessStopped(() => pollOnboarding(input));
    if (step === undefined) return;
    const { row } = this.#input;
    if (!(await this.#apply(step))) await this.#reportToBatch({ kind: "refused", row, calls: 0 });
    if (hasLinkEnded(this.#customer, Date.now())) await this.#change(withoutLink(this.#state), "link_ended");
  }

  /**
   * Polls again for an output that the playbook had not produced yet (docs/reference/service.md, "Onboarding result").
   */
  async #fetchOutput(): Promise<void> {
    if (!isOutputAwaited(this.#input, this.#state)) return;
    const before = this.#customer.progress.calls;
    for (const wait of this.#input.timing.outputRetries) {
      if (this.#customer.mail.stopped || this.#customer.mail.waiters.length > 0) break;
      await sleep(wait);
      const input = { ...this.#stepInput, events: [], sessions: [] };
      const step = await this.#unlessStopped(() => pollOnboarding(input));
      if (step !== undefined) await this.#apply(step);
      if (this.#state.hasOutput) break;
    }
    const calls = this.#customer.progress.calls - before;
    await this.#reportToBatch({ kind: "output", found: this.#state.hasOutput, calls });
  }
}
