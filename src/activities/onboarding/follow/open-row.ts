import { isOutputAwaited } from "../../../domain/onboarding/customer/customer-input.js";
import {
  dueStep,
  endOf,
  hasLinkEnded,
  isOverdue,
  newsTaken,
} from "../../../domain/onboarding/customer/customer-progress.js";
import {
  afterDeadline,
  afterDecisionTimeout,
  afterFailure,
  afterLink,
  afterStop,
  rowStatus,
  withoutLink,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { StepFailure } from "../../../domain/onboarding/customer/customer-step.js";
import { withPoll } from "../../../domain/onboarding/customer/poll-schedule.js";
import { isSuperseded } from "../../../domain/onboarding/customer/waiting-rows.js";
import { inherited, NO_TRIES, type OpenCustomer } from "../../../domain/onboarding/follow/open-customer.js";
import type { CustomerEvent, SessionValidated } from "../../../domain/onboarding/messages.js";
import { callState } from "../../calls/call-record.js";
import { onboardingPrefix } from "../customer/call-prefix.js";
import { deliverLink } from "../customer/deliver-continuation.js";
import { pollOnboarding } from "../customer/poll-onboarding.js";
import { postOnboarding } from "../customer/post-onboarding.js";
import { prepareCustomer } from "../customer/prepare-customer.js";
import type { OnboardingDependencies } from "../dependencies.js";
import type { RowInWork } from "./row-in-work.js";

/** The failure of a row whose request was abandoned. */
const UNANSWERED: StepFailure = {
  error_class: "InterruptedError",
  error_message:
    "the batch was cancelled before the service answered the request, so it is not known whether the service carried it out; runs retry looks for it before it sends anything",
};

/** One open row while it is worked on: acts on what `customer-progress.ts` decides. Only staged names leave it. */
export class OpenRow {
  #isPosting = false;
  #endIsOwn = false;
  /** Whether the row is given back to its batch, which runs it again. */
  #isPutBack = false;

  constructor(
    private readonly deps: OnboardingDependencies,
    private readonly row: RowInWork,
    /** Epoch milliseconds. */
    private readonly now: () => number,
  ) {}

  /** Does what is due, and returns the row as it stays open; null where it is finished. */
  async step(): Promise<OpenCustomer | null> {
    this.#takeStops();
    if (this.row.one.output !== null) await this.#fetchOutput();
    else if (!this.row.one.posted) await this.#post();
    else await this.#act();
    return this.#conclude();
  }

  /** Ends a row whose step can't succeed. */
  async fail(failure: StepFailure, isStopped = false): Promise<OpenCustomer | null> {
    this.row.undo();
    await this.#end(failure, isStopped);
    return this.#conclude();
  }

  /** Leaves off where its batch is cancelled; a request without an answer fails. */
  async abandon(): Promise<OpenCustomer | null> {
    return this.#isPosting ? this.fail(UNANSWERED, true) : this.row.undo();
  }

  /** Tells the batches of a row whose staging is lost, and of those that wait for it. */
  lose(message: string): null {
    this.row.undo();
    const { row, runId } = this.row.one.input;
    this.row.tell({ kind: "lost", row, runId, message });
    this.row.waiters.release();
    return null;
  }

  async #end(failure: StepFailure, isStopped: boolean): Promise<void> {
    if (isStopped) this.#keepEnd();
    await this.row.change(afterFailure(this.row.state), "failed", failure);
    this.row.setRow({ posted: true, tries: NO_TRIES });
  }

  #takeStops(): void {
    const { mail } = this.row.customer;
    this.row.set({ mail: { ...mail, stops: [] } });
    for (const batchId of mail.stops) {
      if (batchId === this.row.one.input.batchId) this.row.set({ stopped: true });
      this.row.waiters.leave(batchId);
    }
    this.row.mark();
  }

  /** Prepares and posts the customer. */
  async #post(): Promise<void> {
    const { prepare, syncTimeoutSecs } = this.row.one.input;
    if (this.row.customer.stopped) {
      const prefix = await onboardingPrefix(this.deps, this.row.stepInput);
      const call = await callState(this.deps.sealed, prefix);
      if (call === "not sent") return this.#stop();
      if (call === "sent") return this.#end(UNANSWERED, true);
    }
    if (prepare) {
      const step = await this.row.try(() => prepareCustomer(this.deps, this.row.stepInput));
      this.row.setRow({ input: { ...this.row.one.input, prepare: false } });
      if (!(await this.row.apply(step))) return this.#putBack();
    }
    if (this.row.state.phase !== "settled") {
      this.#isPosting = true;
      const step = await this.row.try(() =>
        postOnboarding(this.deps, { ...this.row.stepInput, syncTimeoutSecs }),
      );
      if (!(await this.row.apply(step))) return this.#putBack();
    }
    this.#isPosting = false;
    this.row.setRow({ posted: true });
  }

  #putBack(): void {
    this.#isPutBack = true;
    this.row.tell({
      kind: "requeued",
      row: this.row.one.input.row,
      calls: this.row.customer.progress.calls,
    });
  }

  async #act(): Promise<void> {
    if (this.row.customer.progress.link !== null) return;
    const { timing } = this.row.one.input;
    const now = this.now();
    const due = dueStep(this.row.customer, timing, now);
    if (due === "news") return this.#pollForNews();
    if (due === "deadline") return this.row.change(afterDeadline(this.row.state), "deadline");
    if (due === "poll") await this.#poll([], []);
    if (due === undefined || !isOverdue(this.row.customer, now)) return;
    await this.row.change(afterDecisionTimeout(this.row.state), "patience");
  }

  async #pollForNews(): Promise<void> {
    const { customer, events, sessions } = newsTaken(this.row.customer);
    if (events.length + sessions.length > 0) await this.#poll(events, sessions, customer);
    else this.row.set(customer);
  }

  async #poll(
    events: readonly CustomerEvent[],
    sessions: readonly SessionValidated[],
    customer = this.row.customer,
  ): Promise<void> {
    const { hints } = customer.polls;
    const input = { ...this.row.stepInput, events: [...hints, ...events], sessions };
    const step = await this.row.try(() => pollOnboarding(this.deps, input));
    this.row.set({ ...customer, polls: withPoll(customer.polls, this.now()) });
    if (!(await this.row.apply(step)))
      this.row.tell({ kind: "refused", row: this.row.one.input.row, calls: 0 });
    if (hasLinkEnded(this.row.customer, this.now()))
      await this.row.change(withoutLink(this.row.state), "link_ended");
  }

  /** Delivers a continuation, reports to the batch, and answers the rows that wait, once the row is processed. */
  async #report(): Promise<void> {
    const { row, line, attempt } = this.row.one.input;
    if (this.row.state.phase === "machine") return;
    await this.#deliver();
    const { state, told, first, calls, messageHash, refused } = this.row.customer.progress;
    const { requiresManualReview, version } = state;
    if (!told) {
      this.row.setProgress({ told: true });
      this.row.tell({
        kind: "done",
        row,
        record: first,
        calls,
        messageHash,
        ...(refused && { refused }),
        outputAwaited: isOutputAwaited(this.row.one.input, state),
        status: rowStatus(state),
        requiresManualReview,
      });
    }
    if (version === 0) return;
    const outcome = { row, line, attempt, version };
    await this.row.waiters.answer({ row: this.row.one.input, state, outcome, endIsOwn: this.#endIsOwn });
  }

  async #deliver(): Promise<void> {
    const { link } = this.row.customer.progress;
    if (link === null) return;
    const { delivered } = await this.row.try(() => deliverLink(this.deps, { ...this.row.stepInput, link }));
    this.row.setProgress({ link: null });
    const state = delivered ? afterLink(this.row.state, link.expiresAt) : withoutLink(this.row.state);
    await this.row.change(state, "link");
  }

  /** Ends with the last status: the batch was cancelled, or another row takes over. */
  async #stop(): Promise<void> {
    this.#keepEnd();
    await this.row.change(afterStop(this.row.state), "stopped");
    this.row.setRow({ posted: true });
  }

  /** Notes that the row's own batch stops it before its end: other rows must not take that end for their outcome. */
  #keepEnd(): void {
    if (this.row.state.phase !== "settled" && !isSuperseded(this.row.customer.waiters)) this.#endIsOwn = true;
  }

  async #conclude(): Promise<OpenCustomer | null> {
    if (!this.#isPutBack) {
      await this.#report();
      const end = endOf(this.row.customer);
      if (end === undefined) return this.row.one;
      if (end === "inherited") return inherited(this.row.one);
      if (end === "stopped") {
        await this.#stop();
        await this.#report();
      }
      if (this.row.one.output !== null || isOutputAwaited(this.row.one.input, this.row.state)) {
        const next = this.#nextFetch();
        if (next !== null) return next;
        // Rows that came to wait meanwhile get what there is.
        await this.#report();
      }
    }
    this.row.waiters.release();
    return null;
  }

  /** The row until it is asked for its output again; null, and the batch is told, where that has an end. */
  #nextFetch(): OpenCustomer | null {
    const { polls, calls } = this.row.one.output ?? { polls: 0, calls: 0 };
    const wait = this.row.one.input.timing.outputRetries[polls];
    const { hasOutput } = this.row.state;
    const isOver = hasOutput || this.row.customer.stopped || isSuperseded(this.row.customer.waiters);
    if (wait === undefined || isOver) {
      this.row.tell({ kind: "output", found: hasOutput, calls });
      return null;
    }
    return { ...this.row.one, output: { polls, calls, dueAt: this.now() + wait } };
  }

  /**
   * Polls again for an output that the playbook had not produced yet (docs/reference/service.md, "Onboarding result").
   */
  async #fetchOutput(): Promise<void> {
    const { output } = this.row.one;
    if (output === null || this.row.customer.stopped || this.row.customer.mail.waiters.length > 0) return;
    const { calls } = this.row.customer.progress;
    const input = { ...this.row.stepInput, events: [], sessions: [] };
    await this.row.apply(await this.row.try(() => pollOnboarding(this.deps, input)));
    const made = this.row.customer.progress.calls - calls;
    this.row.setRow({ output: { ...output, polls: output.polls + 1, calls: output.calls + made } });
  }
}
