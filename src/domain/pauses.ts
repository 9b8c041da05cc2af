/** How long the service wanted no calls, over all parts of a run together. */
export interface Pauses {
  readonly ms: number;
  /** Epoch milliseconds up to which pauses are counted. */
  readonly until: number;
}

export const NO_PAUSES: Pauses = { ms: 0, until: 0 };

/** Adds a pause that a part of the run reported at `at`; parts that pause at the same time count once. Pure. */
export function withPause(pauses: Pauses, at: number, until: number | null): Pauses {
  if (until === null || until <= pauses.until) return pauses;
  return { ms: pauses.ms + until - Math.max(at, pauses.until), until };
}
