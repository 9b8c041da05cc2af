/** Timers fire up to a millisecond late; without this slack the pace would stay below the configured one. */
const PACE_SLACK_MS = 10;

/** What decides when calls may start; times are epoch milliseconds. */
export interface CallPace {
  readonly active: number;
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

/** What all workers of a task queue may do together. */
export interface FleetLimits {
  /** Calls in flight. */
  readonly concurrency: number | undefined;
  /** Calls started in a second. */
  readonly rps: number | undefined;
}

export interface CallLimits {
  readonly concurrency: number;
  readonly rps: number | undefined;
}

/** Of the rate, for a worker that the others have not noticed yet; of the calls in flight, one is kept for it. */
const KEPT_FOR_NEW = 0.05;

/** How a worker stands among those of its task queue. */
export interface Standing {
  /** How many poll, this one included. */
  readonly workers: number;
  /** Whether the others may not have noticed this one. */
  readonly isNew: boolean;
}

/**
 * What one worker may do: its own limits, or its share of the fleet's where that is less; one call in flight at least.
 * A worker that has just begun takes what the others have left for it, so that all together never do more.
 */
export function shareOf(own: CallLimits, fleet: FleetLimits, { workers, isNew }: Standing): CallLimits {
  const places = fleet.concurrency ?? Number.POSITIVE_INFINITY;
  const rate = fleet.rps ?? Number.POSITIVE_INFINITY;
  const share = isNew ? rate * KEPT_FOR_NEW : (rate * (1 - KEPT_FOR_NEW)) / workers;
  const rps = Math.min(own.rps ?? Number.POSITIVE_INFINITY, share);
  const inFlight = isNew && Number.isFinite(places) ? 1 : Math.max(1, Math.floor((places - 1) / workers));
  return {
    concurrency: Math.min(own.concurrency, inFlight),
    rps: Number.isFinite(rps) ? rps : undefined,
  };
}

/** A call of the service that was sent and has ended; times in seconds. */
export interface MadeCall {
  readonly operation: string;
  /** HTTP status, or the name of the error where none came. */
  readonly status: string;
  readonly seconds: number;
  /** For its turn: pace, places and pauses. */
  readonly waitedSeconds: number;
  /** In the body of its answer; 0 where it gave none that counts. */
  readonly bytes: number;
}
