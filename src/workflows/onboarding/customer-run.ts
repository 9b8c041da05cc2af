import { condition, proxyActivities, sleep, workflowInfo } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { OutcomeRef } from "../../domain/onboarding/batch-rows.js";
import {
  afterDeadline,
  afterFailure,
  afterLink,
  afterPatience,
  afterStop,
  type CustomerCourse,
  isOutcomeDue,
  lacksOutput,
  reopened,
  rowStatus,
  UNPOSTED,
  withoutLink,
} from "../../domain/onboarding/customer-state.js";
import type {
  AdoptedRow,
  CarriedCustomer,
  CustomerRef,
  CustomerStand,
  CustomerStep,
  LinkOffer,
} from "../../domain/onboarding/customer-step.js";
import type { CustomerEvent, SessionValidated } from "../../domain/onboarding/messages.js";
import { LookPlan, weightOf } from "../../domain/onboarding/poll-schedule.js";
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
  readonly #deadline: number;
  readonly #patience: number;
  #course: CustomerCourse;
  /** The course that the last outcome says. */
  #written: CustomerCourse;
  readonly #looks: LookPlan;
  #link: LinkOffer | null;
  #first: OutcomeRef | null;
  #calls: number;
  #messageHash: string | null;
  #told: boolean;

  constructor(input: CustomerInput) {
    const { open, plainOutput, timing, carried } = input;
    const now = Date.now();
    this.#input = input;
    this.#ref = refOf(input);
    this.#watchers = new CustomerWatchers(this.#ref, plainOutput, carried?.watchers);
    this.#mailbox = new CustomerMailbox(input.batchId, this.#watchers, carried?.mail);
    this.#course = carried?.course ?? (open === null ? UNPOSTED : reopened(open));
    this.#written = carried?.written ?? this.#course;
    this.#looks = new LookPlan(timing, carried?.looks ?? { looks: 0, hinted: 0, lookedAt: now, hints: [] });
    this.#deadline = carried?.deadline ?? now + timing.deadline;
    this.#patience = carried?.patience ?? now + timing.patience;
    this.#link = carried?.link ?? null;
    this.#first = carried?.first ?? null;
    this.#calls = carried?.calls ?? 0;
    this.#messageHash = carried?.messageHash ?? null;
    this.#told = carried?.told ?? false;
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
    const next = { ...this.#input, carried: this.#carry() };
    return this.#heir === undefined ? next : inheritedBy(this.#heir, next);
  }

  get #heir(): AdoptedRow | undefined {
    return this.#mailbox.stopped ? this.#watchers.heir : undefined;
  }

  #carry(): CarriedCustomer {
    return {
      course: this.#course,
      written: this.#written,
      link: this.#link,
      first: this.#first,
      calls: this.#calls,
      messageHash: this.#messageHash,
      told: this.#told,
      looks: this.#looks.sofar,
      deadline: this.#deadline,
      patience: this.#patience,
      mail: this.#mailbox.carry(),
      watchers: this.#watchers.carry(),
    };
  }

  /** Ends with the last status: the batch was cancelled, the workflow too, or another row takes over. */
  async stop(): Promise<void> {
    this.#watchers.keepEnd(this.#course);
    this.#course = afterStop(this.#course);
    await this.#settle("stopped");
  }

  /** Ends a row for which an activity failed for good. */
  async fail(failure: { readonly error_class: string; readonly error_message: string }): Promise<void> {
    this.#course = afterFailure(this.#course);
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

  get #settled(): boolean {
    return this.#course.stage === "settled";
  }

  get #stand(): CustomerStand {
    return { ...this.#ref, course: this.#course, written: this.#written };
  }

  /** Takes in what a step came to; false where the credentials were refused. */
  async #take(step: CustomerStep): Promise<boolean> {
    this.#calls += step.calls;
    if (step.unauthorized) return false;
    if (step.course.status !== this.#course.status) this.#looks.restart();
    this.#course = step.course;
    this.#link = step.link ?? this.#link;
    if (step.outcome === null) return true;
    this.#written = step.course;
    this.#messageHash = step.messageHash;
    if (!this.#told && this.#first === null && this.#input.open === null) this.#first = step.outcome;
    else await this.#record(step.outcome);
    return true;
  }

  // The row is put back; nothing was posted for it.
  async #hold(): Promise<boolean> {
    this.#told = true;
    const { batchWorkflowId, row } = this.#input;
    await tellBatch(batchWorkflowId, { kind: "held", row, calls: this.#calls });
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
    if (!this.#told) {
      this.#told = true;
      await tellBatch(batchWorkflowId, {
        ...{ kind: "done", row, record: this.#first, calls: this.#calls, messageHash: this.#messageHash },
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
    const link = this.#link;
    if (link === null) return;
    this.#link = null;
    const { delivered } = await deliverLink({ ...this.#stand, link });
    this.#course = delivered ? afterLink(this.#course, link.expiresAt) : withoutLink(this.#course);
    await this.#settle("link");
  }

  /** Writes the outcome of a course that changed without the service. */
  async #settle(
    event: string,
    failure: { readonly error_class: string; readonly error_message: string } | null = null,
  ): Promise<void> {
    if (!isOutcomeDue(this.#written, this.#course)) return;
    await this.#take(await settleCustomer({ ...this.#stand, event, failure }));
  }

  /** Waits for news, or for the time of the next look; then looks. */
  async #waitAndLook(): Promise<void> {
    const mailbox = this.#mailbox;
    const machine = this.#course.stage === "machine";
    const patience = machine ? this.#patience : Number.POSITIVE_INFINITY;
    const wake = Math.min(this.#deadline, this.#looks.next(this.#course), patience);
    // Who watches is told once the row is machine done.
    const news = () => mailbox.hasMail || mailbox.stopped || (!machine && mailbox.hasWatchers);
    await condition(news, Math.max(1, wake - Date.now()));
    const now = Date.now();
    if (mailbox.hasMail) return this.#read();
    if (news()) return;
    if (now >= this.#deadline) {
      this.#course = afterDeadline(this.#course);
      return this.#settle("deadline");
    }
    if (now >= this.#looks.next(this.#course)) await this.#look([], []);
    if (now < patience || this.#course.stage !== "machine") return;
    this.#course = afterPatience(this.#course);
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
    if (this.#link === null && linkExpiresAt !== null && Date.now() >= linkExpiresAt) {
      this.#course = withoutLink(this.#course);
      await this.#settle("link_ended");
    }
  }

  /** Whether the playbook may have an output that it had not reached when it decided. */
  get #outputAwaited(): boolean {
    const { outputExpected, open, timing } = this.#input;
    return outputExpected && open === null && timing.outputRetries.length > 0 && lacksOutput(this.#course);
  }

  /** Asks again for an output that the playbook had not reached (docs/service.md, "Onboarding result"). */
  async #fetchOutput(): Promise<void> {
    const { timing, batchWorkflowId } = this.#input;
    if (!this.#outputAwaited) return;
    const before = this.#calls;
    for (const wait of timing.outputRetries) {
      if (this.#mailbox.stopped || this.#mailbox.hasWatchers) break;
      await sleep(wait);
      await this.#take(await lookUp({ ...this.#stand, events: [], sessions: [] }));
      if (this.#course.hasOutput) break;
    }
    const calls = this.#calls - before;
    await tellBatch(batchWorkflowId, { kind: "output", found: this.#course.hasOutput, calls });
  }
}
