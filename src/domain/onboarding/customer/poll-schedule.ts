import { MINUTE } from "../../duration.js";
import { isDecision } from "../../service/onboarding-status.js";
import { type CustomerEvent, VALIDATED } from "../messages.js";
import type { OnboardingTiming } from "../timing.js";
import { saysTheSame } from "../verdict.js";
import { type CustomerPhase, type CustomerState, lacksReview, needsCustomer } from "./customer-state.js";

/** Hints kept until the next poll, for `onboarding_events`; all of them are in `webhook_events`. */
const MOST_HINTS = 20;

export interface PollsSoFar {
  readonly polls: number;
  readonly hinted: number;
  readonly polledAt: number;
  readonly hints: readonly CustomerEvent[];
}

export function beginPolls(now: number): PollsSoFar {
  return { polls: 0, hinted: 0, polledAt: now, hints: [] };
}

/** The first brings a poll at once, each further poll waits twice as long. */
export function withHint(polls: PollsSoFar, event: CustomerEvent): PollsSoFar {
  return { ...polls, hints: [...polls.hints, event].slice(-MOST_HINTS) };
}

/** After another status the waits are short again. */
export function withPoll({ polls, hinted, hints }: PollsSoFar, now: number, isNewStatus = false): PollsSoFar {
  if (isNewStatus) return beginPolls(now);
  const brought = hints.length > 0 ? 1 : 0;
  return { polls: polls + 1, hinted: hinted + brought, polledAt: now, hints: [] };
}

export function pollWaitMs(timing: OnboardingTiming, phase: CustomerPhase, polls: number): number {
  const most = phase === "machine" ? timing.pollMost : timing.pollPeopleMost;
  return Math.min(timing.pollFirst * 2 ** Math.min(polls, 30), most);
}

/** How long a decided row waits for a webhook that says whether a reviewer has to decide. */
export function reviewWaitMs({ pollMost }: OnboardingTiming): number {
  return Math.min(pollMost, MINUTE);
}

/** Where no relevant event comes before. */
export function nextPoll(
  { polls, hinted, polledAt, hints }: PollsSoFar,
  timing: OnboardingTiming,
  state: CustomerState,
): number {
  const wait = lacksReview(state) ? reviewWaitMs(timing) : pollWaitMs(timing, state.phase, polls);
  const poll = together(polledAt + wait, wait);
  const hint = hinted === 0 ? polledAt : polledAt + pollWaitMs(timing, "machine", hinted - 1);
  const next = hints.length === 0 ? poll : Math.min(poll, hint);
  const expires = state.linkExpiresAt;
  if (expires === null || !needsCustomer(state)) return next;
  // Before the continuation ends, for a fresh one; and when it ends.
  const early = expires - timing.linkMargin;
  return Math.min(next, polledAt < early ? early : Math.max(expires, polledAt));
}

/** Lets long waits of many rows end at the same instants, a sixteenth later at most: they are polled in few slices. */
function together(at: number, wait: number): number {
  if (wait < MINUTE) return at;
  const step = Math.floor(wait / 16);
  return Math.ceil(at / step) * step;
}

/**
 * What news is worth to a state. `relevant`: the onboarding is polled now. `weak`: it says nothing of the onboarding
 * itself, such as a changed vault; it brings the next poll forward, but many of them are not many polls. `irrelevant`:
 * it changes nothing.
 */
type EventRelevance = "relevant" | "weak" | "irrelevant";

export function relevanceOf(state: CustomerState, event: CustomerEvent): EventRelevance {
  if (state.phase === "final") return "irrelevant";
  if (event.onboardingId !== null && event.onboardingId !== state.onboardingId) return "irrelevant";
  switch (event.kind) {
    case VALIDATED:
      return "relevant";
    case "service.onboarding.incomplete":
      return isDecision(state.status) || state.status === "incomplete" ? "irrelevant" : "relevant";
    case "service.onboarding.completed":
    case "service.user.manual_review":
      return isDecision(state.status) && saysTheSame(state, event) ? "irrelevant" : "relevant";
    case "service.user.info_requested":
      return state.infoRequested ? "weak" : "relevant";
    case "service.user.bank_link_updated":
      return "irrelevant";
    default:
      return lacksReview(state) ? "irrelevant" : "weak";
  }
}
