import { DAY } from "../../duration.js";

/** `--lookback`, in days. */
export const DEFAULT_LOOKBACK = 30;
/** A hundred years. */
export const MOST_LOOKBACK = 36_500;

/**
 * Finds the earliest day to request of a list without a cursor; null for all of it. Counts from the newest row that a
 * complete reading has seen, so that neither missed nights nor a silent bank leave a hole. Pure.
 * @param known of each stream of the list, the day until which its rows are known
 * @param today a later known day was set by a clock that ran ahead
 */
export function windowStart(
  known: readonly (string | null)[],
  lookback: number,
  today: string,
): string | null {
  const days = known.filter((day) => day !== null);
  if (days.length < known.length) return null;
  const earliest = Math.min(...[...days, today].map((day) => Date.parse(day)));
  return new Date(earliest - lookback * DAY).toISOString().slice(0, 10);
}

/** The day of a list's newest row, but no later than today. Pure. */
export function knownDay(newest: string | undefined, today: string): string | null {
  if (newest === undefined) return null;
  return newest < today ? newest : today;
}
