import type { RefusedRequest } from "../../refusals.js";
import type { OpenOutcome, OutcomeRef } from "../batch/batch-rows.js";
import type { CustomerEvent, SessionValidated } from "../messages.js";
import type { OnboardingTiming } from "../timing.js";
import { hasNews, type Mail, NO_MAIL } from "./customer-mail.js";
import { type CustomerState, reopened, UNPOSTED } from "./customer-state.js";
import type { CustomerStep, LinkOffer } from "./customer-step.js";
import {
  beginPolls,
  nextPoll,
  type PollsSoFar,
  relevanceOf,
  withHint,
  withNewStatus,
} from "./poll-schedule.js";
import { type CarriedWaiters, isSuperseded, successorOf } from "./waiting-rows.js";

interface CustomerProgress {
  readonly state: CustomerState;
  /** The state that the last outcome says. */
  readonly recorded: CustomerState;
  readonly link: LinkOffer | null;
  /** The first outcome, until the batch gets it. */
  readonly first: OutcomeRef | null;
  readonly calls: number;
  readonly messageHash: string | null;
  readonly refused?: RefusedRequest;
  /** Whether the batch knows that the row is processed. */
  readonly told: boolean;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Epoch milliseconds. */
  readonly decisionTimeout: number;
}

/** What is known of a customer; every change replaces it. */
export interface Customer {
  readonly progress: CustomerProgress;
  readonly polls: PollsSoFar;
  readonly mail: Mail;
  readonly waiters: CarriedWaiters;
  /** Whether its own batch was cancelled. */
  readonly stopped: boolean;
}

/** A customer that begins, from nothing or from an onboarding that is posted already. */
export function newCustomer(open: OpenOutcome | null, timing: OnboardingTiming, now: number): Customer {
  const state = open === null ? UNPOSTED : reopened(open);
  return {
    progress: {
      state,
      recorded: state,
      link: null,
      first: null,
      calls: 0,
      messageHash: null,
      told: false,
      deadline: now + timing.deadline,
      decisionTimeout: now + timing.decisionTimeout,
    },
    polls: beginPolls(now),
    mail: NO_MAIL,
    waiters: { reused: [], waiting: [] },
    stopped: false,
  };
}

/** Changes how far the row is. */
export function withProgress(customer: Customer, change: Partial<CustomerProgress>): Customer {
  return { ...customer, progress: { ...customer.progress, ...change } };
}

/** What ends a row: it is finished, must be stopped, or another row continues in its place; undefined: it stays open. */
export function endOf({
  progress: { state },
  stopped,
  waiters,
}: Customer): "finished" | "stopped" | "inherited" | undefined {
  if (state.phase === "settled") return "finished";
  if (stopped && successorOf(waiters) !== undefined) return "inherited";
  return stopped || isSuperseded(waiters) ? "stopped" : undefined;
}

/** Epoch milliseconds at which the customer has something to do even without a message. */
export function wakeAt(customer: Customer, timing: OnboardingTiming): number {
  const { state, deadline, decisionTimeout } = customer.progress;
  const decision = state.phase === "machine" ? decisionTimeout : Number.POSITIVE_INFINITY;
  return Math.min(deadline, nextPoll(customer.polls, timing, state), decision);
}

/** Whether a message is to be acted on now: rows that wait are answered once this one is processed. */
export function isWoken({ progress: { state }, mail, stopped }: Customer): boolean {
  return hasNews(mail) || stopped || (state.phase !== "machine" && mail.waiters.length > 0);
}

/** What is due; undefined where another message than news of the onboarding came, or nothing. */
export function dueStep(
  customer: Customer,
  timing: OnboardingTiming,
  now: number,
): "news" | "deadline" | "poll" | "decision timeout" | undefined {
  const { progress, polls, mail } = customer;
  if (hasNews(mail)) return "news";
  if (isWoken(customer)) return undefined;
  if (now >= progress.deadline) return "deadline";
  if (now >= nextPoll(polls, timing, progress.state)) return "poll";
  return isOverdue(customer, now) ? "decision timeout" : undefined;
}

/** Whether the service has taken too long to decide. */
export function isOverdue({ progress: { state, decisionTimeout } }: Customer, now: number): boolean {
  return state.phase === "machine" && now >= decisionTimeout;
}

/** Takes the news that is worth a poll now; weaker news becomes hints for a later one. */
export function newsTaken(customer: Customer): {
  readonly customer: Customer;
  readonly events: readonly CustomerEvent[];
  readonly sessions: readonly SessionValidated[];
} {
  const { progress, mail } = customer;
  const { state } = progress;
  const isWorth = (relevance: "relevant" | "weak") => (event: CustomerEvent) =>
    relevanceOf(state, event) === relevance;
  const polls = mail.events.filter(isWorth("weak")).reduce(withHint, customer.polls);
  return {
    customer: { ...customer, polls, mail: { ...mail, events: [], sessions: [] } },
    events: mail.events.filter(isWorth("relevant")),
    sessions: mail.sessions.filter(({ onboardingId }) => onboardingId === state.onboardingId),
  };
}

/**
 * Applies a step. The batch writes a row's first outcome together with many others; `record` is a later one, or one of
 * an onboarding that an earlier command posted, which the customer writes itself.
 */
export function afterStep(
  customer: Customer,
  step: CustomerStep,
  isReopened: boolean,
): { readonly customer: Customer; readonly record: OutcomeRef | null } {
  const { progress } = customer;
  const calls = progress.calls + step.calls;
  if (step.unauthorized) return { customer: withProgress(customer, { calls }), record: null };
  const { state, outcome, messageHash, refused } = step;
  const polls = state.status === progress.state.status ? customer.polls : withNewStatus(customer.polls);
  const known = withProgress({ ...customer, polls }, { calls, state, link: step.link ?? progress.link });
  if (outcome === null) return { customer: known, record: null };
  const isFirst = !progress.told && progress.first === null && !isReopened;
  const staged = { recorded: state, messageHash, ...(refused && { refused }) };
  return {
    customer: withProgress(known, { ...staged, ...(isFirst && { first: outcome }) }),
    record: isFirst ? null : outcome,
  };
}

/** Whether the last continuation has expired and no other one is there to be delivered. */
export function hasLinkEnded({ progress: { link, state } }: Customer, now: number): boolean {
  return link === null && state.linkExpiresAt !== null && now >= state.linkExpiresAt;
}
