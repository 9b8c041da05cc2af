import { condition, proxyActivities, sleep, workflowInfo } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { OutcomeRef } from "../../domain/onboarding/batch/batch-rows.js";
import {
  afterDeadline,
  afterFailure,
  afterLink,
  afterPatience,
  afterStop,
  type CustomerCourse,
  isOutcomeDue,
  lacksOutput,
  rowStatus,
  withoutLink,
} from "../../domain/onboarding/customer/customer-state.js";
import {
  type AdoptedRow,
  beginProgress,
  type CarriedCustomer,
  type CustomerProgress,
  type CustomerRef,
  type CustomerStand,
  type CustomerStep,
} from "../../domain/onboarding/customer/customer-step.js";
import { beginLooks, LookPlan, weightOf } from "../../domain/onboarding/customer/poll-schedule.js";
import type { CustomerEvent, SessionValidated } from "../../domain/onboarding/messages.js";
import { CUSTOMER_STEP, HEARTBEATING } from "../policies.js";
import { type CustomerInput, inheritedBy, refOf } from "./customer-input.js";
import { CustomerMailbox } from "./customer-mailbox.js";
import { CustomerWatchers, tellBatch } from "./customer-watchers.js";

const { prepareCustomer, postOnboarding, lookUp, deliverLink } = proxyActivities<Activities>(CUSTOMER_STEP);
const { settleCustomer, recordOutcomes } = proxyActivities<Activities>(HEARTBEATING);

/** One customer's way from its row to its outcome: what it waits for, and what it does then. */
export class CustomerRun {
  readonly #input: CustomerInput;
  readonly #ref: CustomerRef;
  readonly #mailbox: CustomerMailbox;
  readonly #watchers: CustomerWatchers;
  readonly #looks: LookPlan;
  #progress: CustomerProgress;

  constructor(input: CustomerInput) {
    const { open, plainOutput, timing, carried } = input;
    const now = Date.now();
    this.#input = input;
    this.#ref = refOf(input);
    this.#watchers = new CustomerWatchers(this.#ref, plainOutput, carried?.watchers);
    this.#mailbox = new CustomerMailbox(input.batchId, this.#watchers, carried?.mail);
    this.#looks = new LookPlan(timing, carried?.looks ?? beginLooks(now));
    this.#progress = carried?.progress ?? beginProgress(open, timing, now);
  }

  /** Runs to the end of the row, or until the history has grown enough. */
  async go(): Promise<"done" | "long"> {
    const { carried, open } = this.#input;
    if (carried === undefined && open === null && !(await this.#post())) return "done";
    for (;;) {
      await this.#tell();
      if (this.#settled) break;
      if (this.#mailbox.stopped || this.#watchers.superseded) {
        if (this.#heir !== undefined) return "long";
        await this.stop();
        break;
      }
      if (workflowInfo().continueAsNewSuggested) return "long";
      await this.#waitAndLook();
    }
    await this.#fetchOutput();
    return "done";
  }

  /** What the next execution goes on with: for this row, or for one that is not stopped with it. */
  next(): CustomerInput {
    const carried: CarriedCustomer = {
      progress: this.#progress,
      looks: this.#looks.sofar,
      mail: this.#mailbox.carry(),
      watchers: this.#watchers.carry(),
    };
    const next = { ...this.#input, carried };
    return this.#heir === undefined ? next : inheritedBy(this.#heir, next);
  }

  get #heir(): AdoptedRow | undefined {
    return this.#mailbox.stopped ? this.#watchers.heir : undefined;
  }

  /** Ends with the last status: the batch was cancelled, the workflow too, or another row takes over. */
  async stop(): Promise<void> {
    this.#watchers.keepEnd(this.#course);
    this.#set({ course: afterStop(this.#course) });
    await this.#settle("stopped");
  }

  /** Ends a row for which an activity failed for good. */
  async fail(failure: { readonly error_class: string; readonly error_message: string }): Promise<void> {
    this.#set({ course: afterFailure(this.#course) });
    await this.#settle("failed", failure);
  }

  /** Tells the batch and whoever waits for the customer, in whatever way the run ended. */
  async leave(): Promise<void> {
    await this.#tell();
    await this.#watchers.release(() => this.#mailbox.takeWatchers());
  }

  /** Whether there is anything to wait for afterwards. */
  async #post(): Promise<boolean> {
    const { prepare, syncTimeoutSecs } = this.#input;
    if (prepare && !this.#mailbox.stopped) {
      if (!(await this.#take(await prepareCustomer(this.#stand)))) return this.#hold();
      if (this.#settled) return true;
    }
    if (this.#mailbox.stopped) {
      await this.stop();
      return true;
    }
    return (await this.#take(await postOnboarding({ ...this.#stand, syncTimeoutSecs }))) || this.#hold();
  }

  get #course(): CustomerCourse {
    return this.#progress.course;
  }

  #set(change: Partial<CustomerProgress>): void {
    this.#progress = { ...this.#progress, ...change };
  }

  get #settled(): boolean {
    return this.#course.stage === "settled";
  }

  get #stand(): CustomerStand {
    const { course, written } = this.#progress;
    return { ...this.#ref, course, written };
  }

  /** Takes in what a step came to; false where the credentials were refused. */
  async #take(step: CustomerStep): Promise<boolean> {
    const { course, outcome, messageHash } = step;
    const { calls, link, told, first } = this.#progress;
    this.#set({ calls: calls + step.calls });
    if (step.unauthorized) return false;
    if (course.status !== this.#course.status) this.#looks.restart();
    this.#set({ course, link: step.link ?? link });
    if (outcome === null) return true;
    this.#set({ written: course, messageHash });
    if (!told && first === null && this.#input.open === null) this.#set({ first: outcome });
    else await this.#record(outcome);
    return true;
  }

  // The row is put back; nothing was posted for it.
  async #hold(): Promise<boolean> {
    this.#set({ told: true });
    const { batchWorkflowId, row } = this.#input;
    await tellBatch(batchWorkflowId, { kind: "held", row, calls: this.#progress.calls });
    return false;
  }

  /** The first outcome is written by the batch, with many others; later ones one by one. */
  async #record(outcome: OutcomeRef): Promise<void> {
    const { batchId, runId, plainOutput } = this.#input;
    const chunk = `${outcome.line}-${outcome.attempt}-${outcome.version}`;
    await recordOutcomes({ batchId, runId, chunk, plainOutput, rows: [outcome] });
    await this.#watchers.follow(outcome);
  }

  /** Once the row is machine done: hands out a link, tells the batch, and whoever else has the same row. */
  async #tell(): Promise<void> {
    const { row, line, attempt, batchWorkflowId } = this.#input;
    if (this.#course.stage === "machine") return;
    await this.#handOut();
    const { told, first, calls, messageHash } = this.#progress;
    if (!told) {
      this.#set({ told: true });
      await tellBatch(batchWorkflowId, {
        ...{ kind: "done", row, record: first, calls, messageHash },
        outputAwaited: this.#outputAwaited,
        status: rowStatus(this.#course),
        requiresManualReview: this.#course.requiresManualReview,
      });
    }
    const { version } = this.#course;
    if (version > 0)
      await this.#watchers.admit(this.#mailbox.takeWatchers(), this.#course, { row, line, attempt, version });
  }

  async #handOut(): Promise<void> {
    const { link } = this.#progress;
    if (link === null) return;
    this.#set({ link: null });
    const { delivered } = await deliverLink({ ...this.#stand, link });
    this.#set({ course: delivered ? afterLink(this.#course, link.expiresAt) : withoutLink(this.#course) });
    await this.#settle("link");
  }

  /** Writes the outcome of a course that changed without the service. */
  async #settle(
    event: string,
    failure: { readonly error_class: string; readonly error_message: string } | null = null,
  ): Promise<void> {
    if (!isOutcomeDue(this.#progress.written, this.#course)) return;
    await this.#take(await settleCustomer({ ...this.#stand, event, failure }));
  }

  /** Waits for news, or for the time of the next look; then looks. */
  async #waitAndLook(): Promise<void> {
    const mailbox = this.#mailbox;
    const machine = this.#course.stage === "machine";
    const { deadline } = this.#progress;
    const patience = machine ? this.#progress.patience : Number.POSITIVE_INFINITY;
    const wake = Math.min(deadline, this.#looks.next(this.#course), patience);
    // Who watches is told once the row is machine done.
    const news = () => mailbox.hasMail || mailbox.stopped || (!machine && mailbox.hasWatchers);
    await condition(news, Math.max(1, wake - Date.now()));
    const now = Date.now();
    if (mailbox.hasMail) return this.#read();
    if (news()) return;
    if (now >= deadline) {
      this.#set({ course: afterDeadline(this.#course) });
      return this.#settle("deadline");
    }
    if (now >= this.#looks.next(this.#course)) await this.#look([], []);
    if (now < patience || this.#course.stage !== "machine") return;
    this.#set({ course: afterPatience(this.#course) });
    await this.#settle("patience");
  }

  /** Weighs what came: news is looked at, the rest costs nothing for now. */
  async #read(): Promise<void> {
    const course = this.#course;
    const sessions = this.#mailbox
      .takeSessions()
      .filter(({ onboardingId }) => onboardingId === course.onboardingId);
    const events: CustomerEvent[] = [];
    for (const event of this.#mailbox.takeEvents()) {
      const weight = weightOf(course, event);
      if (weight === "news") events.push(event);
      if (weight === "hint") this.#looks.hint(event);
    }
    if (events.length + sessions.length > 0) await this.#look(events, sessions);
  }

  async #look(events: readonly CustomerEvent[], sessions: readonly SessionValidated[]): Promise<void> {
    const hints = this.#looks.begin(Date.now());
    const step = await lookUp({ ...this.#stand, events: [...hints, ...events], sessions });
    if (!(await this.#take(step))) {
      const { batchWorkflowId, row } = this.#input;
      await tellBatch(batchWorkflowId, { kind: "refused", row, calls: 0 });
    }
    const { linkExpiresAt } = this.#course;
    if (this.#progress.link === null && linkExpiresAt !== null && Date.now() >= linkExpiresAt) {
      this.#set({ course: withoutLink(this.#course) });
      await this.#settle("link_ended");
    }
  }

  /** Whether the playbook may have an output that it had not reached when it decided. */
  get #outputAwaited(): boolean {
    const { outputExpected, open, timing } = this.#input;
    return outputExpected && open === null && timing.outputRetries.length > 0 && lacksOutput(this.#course);
  }

  /** An output that the playbook had not reached when it decided is asked for again (SERVICE.md 2.3). */
  async #fetchOutput(): Promise<void> {
    const { timing, batchWorkflowId } = this.#input;
    if (!this.#outputAwaited) return;
    const before = this.#progress.calls;
    for (const wait of timing.outputRetries) {
      if (this.#mailbox.stopped || this.#mailbox.hasWatchers) break;
      await sleep(wait);
      await this.#take(await lookUp({ ...this.#stand, events: [], sessions: [] }));
      if (this.#course.hasOutput) break;
    }
    const calls = this.#progress.calls - before;
    await tellBatch(batchWorkflowId, { kind: "output", found: this.#course.hasOutput, calls });
  }
}
