/** Timers fire up to a millisecond late; without this slack the pace would stay below the configured one. */
const PACE_SLACK_MS = 10;

/** What decides when calls may start; times are epoch milliseconds. */
export interface CallPace {
  readonly active: number;
  /** No call starts before: the service asked for a pause. */
  readonly pausedUntil: number;
  /** Start of the next call by the configured pace. */
  readonly nextAt: number;
}

export interface PaceLimits {
  readonly concurrency: number;
  /** Between two starts; 0 without a limit. */
  readonly intervalMs: number;
}

/** The earliest start of a call that has `ahead` calls before it, as far as pause and pace tell. */
export function earliestStart(
  { pausedUntil, nextAt }: CallPace,
  { intervalMs }: PaceLimits,
  ahead: number,
  now: number,
): number {
  const paced = Math.max(now, nextAt) + ahead * intervalMs;
  const slack = intervalMs === 0 ? 0 : PACE_SLACK_MS;
  return Math.max(now, pausedUntil, Math.ceil(paced - slack));
}

/** Starts a call now, or says when to ask again; where all places are taken, at the end of another call. */
export function decideStart(pace: CallPace, limits: PaceLimits, now: number): CallPace | number | "full" {
  if (pace.active >= limits.concurrency) return "full";
  const start = earliestStart(pace, limits, 0, now);
  if (start > now) return start;
  return { ...pace, active: pace.active + 1, nextAt: Math.max(now, pace.nextAt) + limits.intervalMs };
}
