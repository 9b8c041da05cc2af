/** Timers fire up to a millisecond late; without this slack the pace would stay below the configured one. */
const PACE_SLACK_MS = 10;

/** What decides when calls may start; times are epoch milliseconds. */
export interface CallPace {
  readonly active: number;
  /** How many of the active calls are long. */
  readonly long: number;
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

/** The calls of one run that wait or are active, its long ones apart from the others. */
export interface CallLine {
  /** Whether somebody else decides how long its calls take: the target of a proxy, or the sender of a file. */
  readonly isLong: boolean;
  readonly active: number;
}

/** Lines in the order of their turns: first who has the fewest active calls; among equals, the order that is given. */
export function inTurn<L extends CallLine>(lines: readonly L[]): L[] {
  return [...lines].sort((one, other) => one.active - other.active);
}

/** Places that long calls may hold together: a quarter is kept for calls that end soon, so that these always move. */
export function longPlaces({ concurrency }: PaceLimits): number {
  return Math.max(1, concurrency - Math.max(1, Math.floor(concurrency / 4)));
}

/** Starts a call now, or says when to ask again; where no place is free for it, at the end of another call. */
export function decideStart(
  pace: CallPace,
  limits: PaceLimits,
  isLong: boolean,
  now: number,
): CallPace | number | "full" {
  if (pace.active >= limits.concurrency || (isLong && pace.long >= longPlaces(limits))) return "full";
  const start = earliestStart(pace, limits, 0, now);
  if (start > now) return start;
  const nextAt = Math.max(now, pace.nextAt) + limits.intervalMs;
  return { ...pace, active: pace.active + 1, long: pace.long + Number(isLong), nextAt };
}
