import { condition, proxyActivities, sleep, workflowInfo } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { OutcomeRef } from "../../domain/onboarding/batch/batch-rows.js";
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
import {
  beginProgress,
  type CarriedCustomer,
  type CustomerProgress,
  type CustomerRef,
  type CustomerStep,
  type CustomerStepInput,
  type ReusedRow,
} from "../../domain/onboarding/customer/customer-step.js";
import { beginPolls, PollSchedule, relevanceOf } from "../../domain/onboarding/customer/poll-schedule.js";
import type { CustomerEvent, SessionValidated } from "../../domain/onboarding/messages.js";
import { HEARTBEATING, STOP_AFTER_MS } from "../policies.js";
import { type CustomerInput, inheritedBy, isOutputAwaited, refOf } from "./customer-input.js";
import { CustomerMailbox } from "./customer-mailbox.js";
import {
  deliverLink,
  pollOnboarding,
  postOnboarding,
  prepareCustomer,
  UNANSWERED,
  unlessStopped,
} from "./customer-steps.js";
import { CustomerWaiters, tellBatch } from "./customer-waiters.js";

const { finishCustomer, recordOutcomes } = proxyActivities<Activities>(HEARTBEATING);

/** One customer's way from its row to its outcome: what it waits for, and what it does then. */
export class CustomerRun {
  readonly #input: CustomerInput;
  readonly #ref: CustomerRef;
  readonly #mailbox: CustomerMailbox;
  readonly #waiters: CustomerWaiters;
  readonly #polls: PollSchedule;
  #progress: CustomerProgress;

  constructor(input: CustomerInput) {
    const { open, plainOutput, timing, carried } = input;
    const now = Date.now();
    this.#input = input;
    this.#ref = refOf(input);
    this.#waiters = new CustomerWaiters(this.#ref, plainOutput, carried?.waiters);
    this.#mailbox = new CustomerMailbox(input.batchId, this.#waiters, carried?.mail);
    this.#polls = new PollSchedule(timing, carried?.polls ?? beginPolls(now));
    this.#progress = carried?.progress ?? beginProgress(open, timing, now);
  }

  /** Runs to the end of the row, or until the history has grown enough. */
  async go(): Promise<"done" | "long"> {
    const { carried, open } = this.#input;
    if (carried === undefined && open === null && !(await this.#post())) return "done";
    for (;;) {
      await this.#tell();
      if (this.#settled) break;
      if (this.#mailbox.stopped || this.#waiters.superseded) {
        if (this.#successor !== undefined) return "long";
        await this.stop();
        break;
      }
      if (workflowInfo().continueAsNewSuggested) return "long";
      await this.#waitAndPoll();
    }
    await this.#fetchOutput();
    return "done";
  }

  /** What the next execution goes on with: for this row, or for one that is not stopped with it. */
  next(): CustomerInput {
    const carried: CarriedCustomer = {
      progress: this.#progress,
      polls: this.#polls.sofar,
      mail: this.#mailbox.carry(),
      waiters: this.#waiters.carry(),
    };
    const next = { ...this.#input, carried };
    return this.#successor === undefined ? next : inheritedBy(this.#successor, next);
  }

  get #successor(): ReusedRow | undefined {
    return this.#mailbox.stopped ? this.#waiters.successor : undefined;
  }

  /** Ends with the last status: the batch was cancelled, the workflow too, or another row takes over. */
  async stop(): Promise<void> {
    this.#waiters.keepEnd(this.#state);
    this.#set({ state: afterStop(this.#state) });
    await this.#settle("stopped");
  }

  /** Ends a row for which an activity failed for good. */
  async fail(failure: { readonly error_class: string; readonly error_message: string }): Promise<void> {
    this.#set({ state: afterFailure(this.#state) });
    await this.#settle("failed", failure);
  }

  /** Tells the batch, unless its staging is lost, and whoever waits for the customer, however the run ended. */
  async leave(isLost: boolean): Promise<void> {
    if (!isLost) await this.#tell();
    await this.#waiters.release(() => this.#mailbox.takeWaiters());
  }

  /** Whether there is anything to wait for afterwards. */
  async #post(): Promise<boolean> {
    const { prepare, syncTimeoutSecs } = this.#input;
    if (prepare && !this.#mailbox.stopped) {
      const step = await this.#unlessStopped(() => prepareCustomer(this.#stand));
      if (step !== undefined && !(await this.#take(step))) return this.#hold();
      if (this.#settled) return true;
    }
    if (this.#mailbox.stopped) {
      await this.stop();
      return true;
    }
    const step = await this.#unlessStopped(() => postOnboarding({ ...this.#stand, syncTimeoutSecs }));
    if (step !== undefined) return (await this.#take(step)) || this.#hold();
    this.#waiters.keepEnd(this.#state);
    await this.fail(UNANSWERED);
    return true;
  }

  #unlessStopped(work: () => Promise<CustomerStep>): Promise<CustomerStep | undefined> {
    const decision = 1_000 * (this.#input.syncTimeoutSecs ?? 0);
    return unlessStopped(work, () => this.#mailbox.stopped, STOP_AFTER_MS + decision);
  }

  get #state(): CustomerState {
    return this.#progress.state;
  }

  #set(change: Partial<CustomerProgress>): void {
    this.#progress = { ...this.#progress, ...change };
  }

  get #settled(): boolean {
    return this.#state.phase === "settled";
  }

  get #stand(): CustomerStepInput {
    const { state, recorded } = this.#progress;
    return { ...this.#ref, state, recorded };
  }

  /** Takes in what a step came to; false where the credentials were refused. */
  async #take(step: CustomerStep): Promise<boolean> {
    const { state, outcome, messageHash, refused } = step;
    const { calls, link, told, first } = this.#progress;
    this.#set({ calls: calls + step.calls });
    if (step.unauthorized) return false;
    if (state.status !== this.#state.status) this.#polls.restart();
    this.#set({ state, link: step.link ?? link });
    if (outcome === null) return true;
    this.#set({ recorded: state, messageHash, ...(refused && { refused }) });
    if (!told && first === null && this.#input.open === null) this.#set({ first: outcome });
    else await this.#record(outcome);
    return true;
  }

  // The row is put back; nothing was posted for it.
  async #hold(): Promise<boolean> {
    this.#set({ told: true });
    const { batchWorkflowId, row } = this.#input;
    await tellBatch(batchWorkflowId, { kind: "requeued", row, calls: this.#progress.calls });
    return false;
  }

  /** The first outcome is written by the batch, with many others; later ones one by one. */
  async #record(outcome: OutcomeRef): Promise<void> {
    const { batchId, runId, plainOutput } = this.#input;
    const chunk = `${outcome.line}-${outcome.attempt}-${outcome.version}`;
    await recordOutcomes({ batchId, runId, chunk, plainOutput, rows: [outcome] });
    await this.#waiters.follow(outcome);
  }

  /** Once the row is processed: hands out a link, tells the batch, and whoever else has the same row. */
  async #tell(): Promise<void> {
    const { row, line, attempt, batchWorkflowId } = this.#input;
    if (this.#state.phase === "machine") return;
    await this.#handOut();
    const { told, first, calls, messageHash, refused } = this.#progress;
    if (!told) {
      this.#set({ told: true });
      await tellBatch(batchWorkflowId, {
        kind: "done",
        row,
        record: first,
        calls,
        messageHash,
        ...(refused && { refused }),
        outputAwaited: isOutputAwaited(this.#input, this.#state),
        status: rowStatus(this.#state),
        requiresManualReview: this.#state.requiresManualReview,
      });
    }
    const { version } = this.#state;
    if (version > 0)
      await this.#waiters.admit(this.#mailbox.takeWaiters(), this.#state, { row, line, attempt, version });
  }

  async #handOut(): Promise<void> {
    const { link } = this.#progress;
    if (link === null) return;
    this.#set({ link: null });
    const { delivered } = await deliverLink({ ...this.#stand, link });
    this.#set({ state: delivered ? afterLink(this.#state, link.expiresAt) : withoutLink(this.#state) });
    await this.#settle("link");
  }

  /** Writes the outcome of a state that changed without the service. */
  async #settle(
    event: string,
    failure: { readonly error_class: string; readonly error_message: string } | null = null,
  ): Promise<void> {
    if (!isOutcomeDue(this.#progress.recorded, this.#state)) return;
    await this.#take(await finishCustomer({ ...this.#stand, event, failure }));
  }

  /** Waits for news, or for the time of the next poll; then polls. */
  async #waitAndPoll(): Promise<void> {
    const mailbox = this.#mailbox;
    const machine = this.#state.phase === "machine";
    const { deadline } = this.#progress;
    const decisionTimeout = machine ? this.#progress.decisionTimeout : Number.POSITIVE_INFINITY;
    const wake = Math.min(deadline, this.#polls.next(this.#state), decisionTimeout);
    // Who watches is told once the row is processed.
    const news = () => mailbox.hasMail || mailbox.stopped || (!machine && mailbox.hasWaiters);
    await condition(news, Math.max(1, wake - Date.now()));
    const now = Date.now();
    if (mailbox.hasMail) return this.#read();
    if (news()) return;
    if (now >= deadline) {
      this.#set({ state: afterDeadline(this.#state) });
      return this.#settle("deadline");
    }
    if (now >= this.#polls.next(this.#state)) await this.#poll([], []);
    if (now < decisionTimeout || this.#state.phase !== "machine") return;
    this.#set({ state: afterDecisionTimeout(this.#state) });
    await this.#settle("patience");
  }

  /** Weighs what came: news is looked at, the rest costs nothing for now. */
  async #read(): Promise<void> {
    const state = this.#state;
    const sessions = this.#mailbox
      .takeSessions()
      .filter(({ onboardingId }) => onboardingId === state.onboardingId);
    const events: CustomerEvent[] = [];
    for (const event of this.#mailbox.takeEvents()) {
      const relevance = relevanceOf(state, event);
      if (relevance === "relevant") events.push(event);
      if (relevance === "weak") this.#polls.hint(event);
    }
    if (events.length + sessions.length > 0) await this.#poll(events, sessions);
  }

  async #poll(events: readonly CustomerEvent[], sessions: readonly SessionValidated[]): Promise<void> {
    const hints = this.#polls.begin(Date.now());
    const input = { ...this.#stand, events: [...hints, ...events], sessions };
    const step = await this.#unlessStopped(() => pollOnboarding(input));
    if (step === undefined) return;
    const { batchWorkflowId, row } = this.#input;
    if (!(await this.#take(step))) await tellBatch(batchWorkflowId, { kind: "refused", row, calls: 0 });
    const { linkExpiresAt } = this.#state;
    if (this.#progress.link === null && linkExpiresAt !== null && Date.now() >= linkExpiresAt) {
      this.#set({ state: withoutLink(this.#state) });
      await this.#settle("link_ended");
    }
  }

  /** Asks again for an output that the playbook had not reached (docs/reference/service.md, "Onboarding result"). */
  async #fetchOutput(): Promise<void> {
    const { timing, batchWorkflowId } = this.#input;
    if (!isOutputAwaited(this.#input, this.#state)) return;
    const before = this.#progress.calls;
    for (const wait of timing.outputRetries) {
      if (this.#mailbox.stopped || this.#mailbox.hasWaiters) break;
      await sleep(wait);
      const input = { ...this.#stand, events: [], sessions: [] };
      const step = await this.#unlessStopped(() => pollOnboarding(input));
      if (step !== undefined) await this.#take(step);
      if (this.#state.hasOutput) break;
    }
    const calls = this.#progress.calls - before;
    await tellBatch(batchWorkflowId, { kind: "output", found: this.#state.hasOutput, calls });
  }
}
