import { DAY, MINUTE, SECOND } from "../duration.js";
import type { CustomerPhase } from "./customer/customer-state.js";

/** How long things wait in an onboarding, in milliseconds; part of what a run is started with. */
export interface OnboardingTiming {
  /** Until a customer's first poll without a webhook; each later one waits twice as long, up to a bound. */
  readonly pollFirst: number;
  /** Longest wait between polls while the service decides. */
  readonly pollMost: number;
  /** Longest wait between polls while people are waited for. */
  readonly pollPeopleMost: number;
  /** How long the service may take to decide before the row counts as done, `pending`. */
  readonly decisionTimeout: number;
  /** How long a customer is waited for. */
  readonly deadline: number;
  /** How long before its end a link is asked for anew. */
  readonly linkMargin: number;
  /** When an output that was missing is asked for again, counted from one poll to the next. */
  readonly outputRetries: readonly number[];
  /** Until a customer of which nothing was heard is looked for. */
  readonly reportTimeout: number;
  /** Outcomes are written this long after the first that waits. */
  readonly recordAfter: number;
}

export const DEFAULT_TIMING: OnboardingTiming = {
  pollFirst: 2 * SECOND,
  pollMost: 5 * MINUTE,
  pollPeopleMost: 6 * 60 * MINUTE,
  decisionTimeout: 60 * MINUTE,
  deadline: 14 * DAY,
  linkMargin: 10 * MINUTE,
  outputRetries: [SECOND, 5 * SECOND],
  reportTimeout: 10 * MINUTE,
  recordAfter: 5 * SECOND,
};

/** How long to wait for the next poll, after so many without news. */
export function pollWaitMs(timing: OnboardingTiming, phase: CustomerPhase, polls: number): number {
  const most = phase === "machine" ? timing.pollMost : timing.pollPeopleMost;
  return Math.min(timing.pollFirst * 2 ** Math.min(polls, 30), most);
}
