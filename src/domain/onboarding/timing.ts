import { DAY, MINUTE, SECOND } from "../duration.js";

/** In milliseconds; a part of a run's input. */
export interface OnboardingTiming {
  /** Until a customer's first poll without a webhook; each later one waits twice as long, up to a bound. */
  readonly pollFirst: number;
  /** While the service decides. */
  readonly pollMost: number;
  /** While people are waited for. */
  readonly pollPeopleMost: number;
  /** Then the row counts as processed, `pending`. */
  readonly decisionTimeout: number;
  readonly deadline: number;
  readonly linkMargin: number;
  /** Null: never. */
  readonly outputRetry: number | null;
  /** Then it is handed over again. */
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
