import {
  afterDeadline,
  afterDecisionTimeout,
  afterFailure,
  afterLink,
  afterStop,
  rowVerdict,
  withoutLink,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import {
  dueStep,
  endOf,
  hasLinkEnded,
  inherited,
  isOutputAwaited,
  isOverdue,
  NO_TRIES,
  newsTaken,
  type OpenCustomer,
} from "../../../domain/onboarding/customer/open-customer.js";
import { withPoll } from "../../../domain/onboarding/customer/poll-schedule.js";
import type { CustomerEvent } from "../../../domain/onboarding/messages.js";
import { callState } from "../../calls/call-record.js";
import { onboardingPrefix } from "../customer/call-prefix.js";
import { deliverLink } from "../customer/deliver-continuation.js";
import { pollOnboarding } from "../customer/poll-onboarding.js";
import { postOnboarding } from "../customer/post-onboarding.js";
import { prepareCustomer } from "../customer/prepare-customer.js";
import type { OnboardingDependencies } from "../dependencies.js";
import type { RowInWork } from "./row-in-work.js";

/** The failure of a row whose request was abandoned. */
const UNANSWERED: OutcomeFacts = {
  error_class: "InterruptedError",
  error_message:
    "the batch was cancelled before the service answered the request, so it is not known whether the service carried it out; runs retry looks for it before it sends anything",
};

/** One open row while it is worked on: acts on what `open-customer.ts` decides. Only staged names leave it. */
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
  async fail(failure: OutcomeFacts, isStopped = false): Promise<OpenCustomer | null> {
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
    this.row.releaseWaiters();
    return null;
  }

  async #end(failure: OutcomeFacts, isStopped: boolean): Promise<void> {
    if (isStopped) this.#keepEnd();
    await this.row.change(afterFailure(this.row.one.state), "failed", failure);
    this.row.set({ posted: true, tries: NO_TRIES });
  }

  #takeStops(): void {
    const { mail } = this.row.one;
    this.row.set({ mail: { ...mail, stops: [] } });
    for (const batchId of mail.stops) {
      if (batchId === this.row.one.input.batchId) this.row.set({ stopped: true });
      this.row.leaveBatch(batchId);
    }
    this.row.mark();
  }

  /** Prepares and posts the customer. */
  async #post(): Promise<void> {
    const { prepare } = this.row.one.input;
    if (this.row.one.stopped) {
      const prefix = await onboardingPrefix(this.deps, this.row.one.input);
      const call = await callState(this.deps.sealed, prefix);
      if (call === "not sent") return this.#stop();
      if (call === "sent") return this.#end(UNANSWERED, true);
    }
    if (prepare) {
      const step = await this.row.try(() => prepareCustomer(this.deps, this.row.one));
      this.row.set({ input: { ...this.row.one.input, prepare: false } });
      if (!(await this.row.apply(step))) return this.#putBack();
    }
    if (this.row.one.state.phase !== "settled") {
      this.#isPosting = true;
      const step = await this.row.try(() => postOnboarding(this.deps, this.row.one));
      if (!(await this.row.apply(step))) return this.#putBack();
    }
    this.#isPosting = false;
    this.row.set({ posted: true });
  }

  #putBack(): void {
    this.#isPutBack = true;
    this.row.tell({
      kind: "requeued",
      row: this.row.one.input.row,
      calls: this.row.one.calls,
    });
  }

  async #act(): Promise<void> {
    if (this.row.one.link !== null) return;
    const now = this.now();
    const due = dueStep(this.row.one, now);
    if (due === "news") {
      const { news, left } = newsTaken(this.row.one);
      return news.length > 0 ? this.#poll(news, left) : this.row.set(left);
    }
    if (due === "deadline") return this.row.change(afterDeadline(this.row.one.state), "deadline");
    if (due === "poll") await this.#poll([]);
    if (due === undefined || !isOverdue(this.row.one, now)) return;
    await this.row.change(afterDecisionTimeout(this.row.one.state), "patience");
  }

  /** `left`: the polls and the mail once the news was taken; until the poll has succeeded, the row keeps its own. */
  async #poll(
    news: readonly CustomerEvent[],
    { polls, mail }: Pick<OpenCustomer, "polls" | "mail"> = this.row.one,
  ): Promise<void> {
    const all = [...polls.hints, ...news];
    const step = await this.row.try(() => pollOnboarding(this.deps, this.row.one, all));
    this.row.set({ mail, polls: withPoll(polls, this.now()) });
    if (!(await this.row.apply(step)))
      this.row.tell({ kind: "refused", row: this.row.one.input.row, calls: 0 });
    if (hasLinkEnded(this.row.one, this.now()))
      await this.row.change(withoutLink(this.row.one.state), "link_ended");
  }

  /** Delivers a continuation, reports to the batch, and answers the rows that wait, once the row is processed. */
  async #report(): Promise<void> {
    const { row } = this.row.one.input;
    if (this.row.one.state.phase === "machine") return;
    await this.#deliver();
    const { state, told, calls, messageHash, refused } = this.row.one;
    if (!told) {
      this.row.set({ told: true });
      this.row.tell({
        kind: "done",
        row,
        calls,
        messageHash,
        ...(refused && { refused }),
        outputAwaited: isOutputAwaited(this.row.one),
        ...rowVerdict(state),
      });
    }
    if (state.version > 0) await this.row.answerWaiters(this.#endIsOwn);
  }

  async #deliver(): Promise<void> {
    const { link } = this.row.one;
    if (link === null) return;
    const isDelivered = await this.row.try(() => deliverLink(this.deps, this.row.one, link));
    this.row.set({ link: null });
    const state = isDelivered
      ? afterLink(this.row.one.state, link.expiresAt)
      : withoutLink(this.row.one.state);
    await this.row.change(state, "link");
  }

  /** Ends with the last status: the batch was cancelled, or another row takes over. */
  async #stop(): Promise<void> {
    this.#keepEnd();
    await this.row.change(afterStop(this.row.one.state), "stopped");
    this.row.set({ posted: true });
  }

  /** Notes that the row's own batch stops it before its end: other rows must not take that end for their outcome. */
  #keepEnd(): void {
    if (this.row.one.state.phase !== "settled" && !this.row.isSuperseded) this.#endIsOwn = true;
  }

  async #conclude(): Promise<OpenCustomer | null> {
    if (!this.#isPutBack) {
      await this.#report();
      const end = endOf(this.row.one, this.row.isSuperseded);
      if (end === undefined) return this.row.one;
      if (end === "inherited") return inherited(this.row.one);
      if (end === "stopped") {
        await this.#stop();
        await this.#report();
      }
      if (this.row.one.output !== null || isOutputAwaited(this.row.one)) {
        const next = this.#nextFetch();
        if (next !== null) return next;
        // Rows that came to wait meanwhile get what there is.
        await this.#report();
      }
    }
    this.row.releaseWaiters();
    return null;
  }

  /** The row until it is asked for its output again; null, and the batch is told, where that has an end. */
  #nextFetch(): OpenCustomer | null {
    const { polls, calls } = this.row.one.output ?? { polls: 0, calls: 0 };
    const wait = this.row.one.input.timing.outputRetries[polls];
    const { hasOutput } = this.row.one.state;
    const isOver = hasOutput || this.row.one.stopped || this.row.isSuperseded;
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
    if (output === null || this.row.one.stopped || this.row.one.mail.waiters.length > 0) return;
    const { calls } = this.row.one;
    await this.row.apply(await this.row.try(() => pollOnboarding(this.deps, this.row.one, [])));
    const made = this.row.one.calls - calls;
    this.row.set({ output: { ...output, polls: output.polls + 1, calls: output.calls + made } });
  }
}
