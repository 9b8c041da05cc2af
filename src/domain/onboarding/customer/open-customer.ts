import { type RetryPolicy, waitAfter } from "../../backoff.js";
import { NO_CALLS, type SentCalls } from "../../counts.js";
import { HOUR, MINUTE, SECOND } from "../../duration.js";
import type { RefusedRequest } from "../../refusals.js";
import type { CustomerInput, CustomerReport } from "../batch/batch-state.js";
import type { CustomerEvent } from "../messages.js";
import type { Outcome } from "../outcome.js";
import type { LinkOffer } from "./continuation-offer.js";
import { type CustomerState, lacksOutput, lacksReview, reopened, UNPOSTED } from "./customer-state.js";
import {
  beginPolls,
  nextPoll,
  type PollsSoFar,
  relevanceOf,
  reviewWaitMs,
  withHint,
} from "./poll-schedule.js";

/*
The life of a customer's row.

1. Its batch plans it (`planRow`): it has ended without a post (wrong, posted before, cancelled), or it *waits* for room in
   the batch's window. It becomes *outstanding* when the batch hands it over (`batch-changes.ts`).
2. The workflow `follow` opens it: an {@link OpenCustomer} under its customer's key, in a shard (`shard.ts`). Where the
   customer is in work in another batch, the row ends as `cancelled`.
3. A slice of due rows works on it (`workRows`): {@link dueStep} says what is due. Unposted, it is prepared and posted, once,
   by the call that is kept under its row key. Then its phase (`customer-state.ts`) says whose turn it is: `machine`, the
   service works on it; `people`, somebody must act; `final`, nothing more is asked. It is polled as `poll-schedule.ts`
   says, and by news: webhooks and validated sessions come into its {@link Mail} at any time, and a slice reads them.
4. Where an outcome is due, a slice stages it as the next version, sealed; where the service gave a continuation, it
   delivers this to the batch's file. A step that fails is tried again from where it began; {@link Tries} counts that.
5. What a slice did is one object in the staging area. `applySlices` applies it (`shard.ts`): first the outcomes go into
   the tables, then the new rows into the next version of the shards, then the reports to the batches.
6. Once a row's phase is no longer `machine`, its batch hears of it (`isReported`) and no longer waits for it. The row stays open
   until it is `final`, its deadline passes or its batch is stopped; further outcomes are further versions.

A kill before a slice's object is there leaves a kept call and staged outcomes: the row is due as before, and the next step
finds them. A kill after it leaves the object, and applying it again writes the same. A report that gets lost is asked for:
a batch hands a silent row over again.
*/

/** Webhooks remembered by their id, so that a duplicate is dropped; duplicates come soon after the first. */
const MOST_REMEMBERED = 500;

interface Mail {
  readonly events: readonly CustomerEvent[];
  readonly seen: readonly string[];
}

export const NO_MAIL: Mail = { events: [], seen: [] };

/** Adds news, unless it is a webhook's duplicate. */
export function withEvent(mail: Mail, event: CustomerEvent): Mail {
  const events = [...mail.events, event];
  const { messageId } = event;
  if (messageId === null) return { ...mail, events };
  if (mail.seen.includes(messageId)) return mail;
  return { events, seen: [...mail.seen, messageId].slice(-MOST_REMEMBERED) };
}

export function mailAfter(left: Mail, now: Mail, read: number): Mail {
  return { events: [...left.events, ...now.events.slice(read)], seen: now.seen };
}

interface Tries {
  readonly times: number;
  /** Of the first one's failure. */
  readonly since: number;
  readonly notBefore: number;
}

export const NO_TRIES: Tries = { times: 0, since: 0, notBefore: 0 };

/** Every change replaces it; times are epoch milliseconds. */
export interface OpenCustomer extends SentCalls {
  readonly input: CustomerInput;
  readonly state: CustomerState;
  /** The state that the last outcome says. */
  readonly recorded: CustomerState;
  readonly link: LinkOffer | null;
  readonly messageHash: string | null;
  readonly refused?: RefusedRequest;
  readonly isReported: boolean;
  readonly deadline: number;
  readonly decisionTimeout: number;
  readonly polls: PollsSoFar;
  readonly mail: Mail;
  readonly stopped: boolean;
  readonly tries: Tries;
  /** When it is polled once more for an output. */
  readonly outputDueAt: number | null;
  readonly outputPolled: boolean;
}

export function openCustomer(input: CustomerInput, now: number): OpenCustomer {
  const { open, timing } = input;
  const state = open === null ? UNPOSTED : reopened(open);
  return {
    input,
    state,
    recorded: state,
    link: null,
    ...NO_CALLS,
    messageHash: null,
    isReported: false,
    deadline: now + timing.deadline,
    decisionTimeout: now + timing.decisionTimeout,
    polls: beginPolls(now),
    mail: NO_MAIL,
    stopped: false,
    tries: NO_TRIES,
    outputDueAt: null,
    outputPolled: false,
  };
}

/** Whether the answer to its post is applied, or none is posted any more. */
export function isPosted({ state }: OpenCustomer): boolean {
  return state.onboardingId !== null || state.phase === "final";
}

/** When a row has something to do. */
export function dueAt(one: OpenCustomer): number {
  const { tries, outputDueAt, link, stopped } = one;
  if (outputDueAt !== null) return Math.max(stopped ? 0 : outputDueAt, tries.notBefore);
  const isReady = !isPosted(one) || isWoken(one) || link !== null;
  return Math.max(tries.notBefore, isReady ? 0 : wakeAt(one));
}

function wakeAt({ state, deadline, decisionTimeout, polls, input: { timing } }: OpenCustomer): number {
  const decision = state.phase === "machine" ? decisionTimeout : Number.POSITIVE_INFINITY;
  return Math.min(deadline, nextPoll(polls, timing, state), decision);
}

function isWoken({ mail, stopped }: OpenCustomer): boolean {
  return mail.events.length > 0 || stopped;
}

/** Until when a row that has come into this state is waited for. */
export function waitedUntil(
  { deadline, input: { timing } }: OpenCustomer,
  state: CustomerState,
  now: number,
): number {
  return lacksReview(state) ? Math.min(deadline, now + reviewWaitMs(timing)) : deadline;
}

export function dueStep(
  one: OpenCustomer,
  now: number,
): "news" | "deadline" | "poll" | "decision timeout" | undefined {
  if (one.mail.events.length > 0) return "news";
  if (one.stopped) return undefined;
  if (now >= one.deadline) return "deadline";
  if (now >= nextPoll(one.polls, one.input.timing, one.state)) return "poll";
  return isOverdue(one, now) ? "decision timeout" : undefined;
}

export function isOverdue({ state, decisionTimeout }: OpenCustomer, now: number): boolean {
  return state.phase === "machine" && now >= decisionTimeout;
}

/** The news that is worth a poll now; weaker news becomes hints for a later one. */
export function newsTaken({ state, mail, polls }: OpenCustomer): {
  readonly news: readonly CustomerEvent[];
  readonly left: Pick<OpenCustomer, "polls" | "mail">;
} {
  const worth = (relevance: "relevant" | "weak") =>
    mail.events.filter((event) => relevanceOf(state, event) === relevance);
  const left = { polls: worth("weak").reduce(withHint, polls), mail: { ...mail, events: [] } };
  return { news: worth("relevant"), left };
}

export function hasLinkEnded({ link, state }: OpenCustomer, now: number): boolean {
  return link === null && state.linkExpiresAt !== null && now >= state.linkExpiresAt;
}

export function isOutputAwaited({ input, state, stopped, outputPolled }: OpenCustomer): boolean {
  const { outputExpected, open, timing } = input;
  if (outputPolled || stopped || !outputExpected || open !== null) return false;
  return timing.outputRetry !== null && lacksOutput(state);
}

export const ROW_RETRY: RetryPolicy = { first: SECOND, longest: 5 * MINUTE, until: HOUR };

export function afterTry(tries: Tries, now: number, wait?: number): Tries {
  return {
    times: tries.times + 1,
    since: tries.times === 0 ? now : tries.since,
    notBefore: now + (wait ?? waitAfter(ROW_RETRY, tries.times + 1)),
  };
}

export function triedNow(one: OpenCustomer): OpenCustomer {
  return { ...one, tries: { ...one.tries, notBefore: NO_TRIES.notBefore } };
}

export interface AddressedReport {
  readonly batchWorkflowId: string;
  readonly report: CustomerReport;
}

export interface OutcomeToRecord {
  readonly run: Pick<CustomerInput, "batchId" | "runId" | "plainOutput">;
  readonly outcome: Outcome;
}
