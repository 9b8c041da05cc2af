interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly done: number;
  /** For its rate, such as rows. */
  readonly amount: number;
}

export interface Pace {
  readonly first: Sample;
  readonly last: Sample;
  /** Epoch milliseconds of its last advance. */
  readonly changedAt: number;
}

/** No rate over a shorter time. */
const RATE_AFTER_MS = 1_000;
/** An estimate needs this time, these many things, this share. */
const ESTIMATE_AFTER_MS = 15_000;
const ESTIMATE_AFTER_DONE = 5;
const ESTIMATE_AFTER_PART = 0.05;
/** No estimate after so long without an advance. */
const STALLED_MS = 150_000;

export function withSample(pace: Pace | undefined, sample: Sample): Pace {
  if (pace === undefined) return { first: sample, last: sample, changedAt: sample.at };
  const { first, last, changedAt } = pace;
  const isChanged = sample.done !== last.done || sample.amount !== last.amount;
  return { first, last: sample, changedAt: isChanged ? sample.at : changedAt };
}

/** On average; undefined for unknown. */
export function perSecond({ first, last }: Pace): number | undefined {
  const took = last.at - first.at;
  const amount = last.amount - first.amount;
  return took < RATE_AFTER_MS || amount <= 0 ? undefined : (amount * 1_000) / took;
}

/** Milliseconds until all is done; undefined for unknown. */
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

/** `812 rows/s`, `4 min left`. */
export function paceWords(pace: Pace, unit: string, all: number): PaceWords {
  const rate = perSecond(pace);
  const left = timeLeft(pace, all);
  return {
    rate: rate === undefined ? [] : [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} ${unit}/s`],
    left: left === undefined ? [] : [`${elapsed(Math.ceil(left / 60_000) * 60_000)} left`],
  };
}

/** `35 s`, `12 min`, `2 h 5 min`. */
export function elapsed(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return `${Math.floor(ms / 1_000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
