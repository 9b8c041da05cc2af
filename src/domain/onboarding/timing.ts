import { DAY, MINUTE, SECOND } from "../duration.js";

/** Times of an onboarding in milliseconds; a part of its run's input. */
export interface OnboardingTiming {
  /** Until a customer's first poll without a webhook; each later one waits twice as long, up to a bound. */
  readonly pollFirst: number;
  /** Longest wait between polls while the service decides. */
  readonly pollMost: number;
  /** Longest wait between polls while people are waited for. */
  readonly pollPeopleMost: number;
  /** How long the service may take to decide before the row counts as processed, `pending`. */
  readonly decisionTimeout: number;
  readonly deadline: number;
  /** How long before its end a fresh continuation is asked for. */
  readonly linkMargin: number;
  /** Until a decision without an output is polled once more for it; null: never. */
  readonly outputRetry: number | null;
  /** How long a row may be silent before it is handed over again. */
  readonly reportTimeout: number;
}

export const DEFAULT_TIMING: OnboardingTiming = {
  pollFirst: 2 * SECOND,
  pollMost: 5 * MINUTE,
  pollPeopleMost: 6 * 60 * MINUTE,
  decisionTimeout: 60 * MINUTE,
  deadline: 14 * DAY,
  linkMargin: 10 * MINUTE,
  outputRetry: 2 * SECOND,
  reportTimeout: 10 * MINUTE,
};
