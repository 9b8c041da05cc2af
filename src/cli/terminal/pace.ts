interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly done: number;
  /** What its rate counts, such as rows. */
  readonly amount: number;
}

/** How fast a run has advanced while it was watched. */
export interface Pace {
  readonly first: Sample;
  readonly last: Sample;
  /** When it last advanced, epoch milliseconds. */
  readonly changedAt: number;
}

/** A rate over a shorter time means nothing. */
const RATE_AFTER_MS = 1_000;
/** An estimate needs this much time, this many things, and this share of all. */
const ESTIMATE_AFTER_MS = 15_000;
const ESTIMATE_AFTER_DONE = 5;
const ESTIMATE_AFTER_PART = 0.05;
/** A run that has not advanced for this long has no estimate. */
const STALLED_MS = 150_000;

export function withSample(pace: Pace | undefined, sample: Sample): Pace {
  if (pace === undefined) return { first: sample, last: sample, changedAt: sample.at };
  const { first, last, changedAt } = pace;
  const isChanged = sample.done !== last.done || sample.amount !== last.amount;
  return { first, last: sample, changedAt: isChanged ? sample.at : changedAt };
}

/** Computes what is done per second, on average; undefined where that is not known. */
export function perSecond({ first, last }: Pace): number | undefined {
  const took = last.at - first.at;
  const amount = last.amount - first.amount;
  return took < RATE_AFTER_MS || amount <= 0 ? undefined : (amount * 1_000) / took;
}

/** Estimates the milliseconds until all is done; undefined where an estimate would mean nothing. */
export function timeLeft({ first, last, changedAt }: Pace, all: number): number | undefined {
  const took = last.at - first.at;
  const done = last.done - first.done;
  const isEarly = took < ESTIMATE_AFTER_MS || done < ESTIMATE_AFTER_DONE || done < all * ESTIMATE_AFTER_PART;
  if (isEarly || last.done >= all || last.at - changedAt >= STALLED_MS) return undefined;
  return ((all - last.done) * took) / done;
}

export interface PaceWords {
  readonly rate: readonly string[];
  readonly left: readonly string[];
}

/** Writes rate and estimate in words: `812 rows/s`, `4 min left`. */
export function paceWords(pace: Pace, unit: string, all: number): PaceWords {
  const rate = perSecond(pace);
  const left = timeLeft(pace, all);
  return {
    rate: rate === undefined ? [] : [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} ${unit}/s`],
    left: left === undefined ? [] : [`${elapsed(Math.ceil(left / 60_000) * 60_000)} left`],
  };
}

/** Writes how long something has taken: `35 s`, `12 min`, `2 h 5 min`. */
export function elapsed(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return `${Math.floor(ms / 1_000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
