import { HOUR, MINUTE } from "../../duration.js";

const MOST_READING_MS = 6 * HOUR;
/** A run that lasts longer has the schedule's next one skipped. */
const MOST_OF_INTERVAL = 0.9;

/** Says how long a link is read before it ends as `still_reading`. @param everyMs the schedule's interval */
export function longestReading(everyMs = Number.POSITIVE_INFINITY): number {
  return Math.min(MOST_READING_MS, everyMs * MOST_OF_INTERVAL);
}

/** How often commits come into `transactions` while a run reads its last links. */
export function bringUpEvery(mostMs: number): number {
  return Math.min(5 * MINUTE, mostMs / 10);
}

/** Over all slices. */
export const COMMIT_EVERY_LINKS = 5_000;
export const COMMIT_EVERY_BYTES = 64 * 1024 * 1024;
export const COMMIT_EVERY_MS = 30_000;
/** Nothing loads lists without a cursor before, and a run waits for its last commit. */
export const COMMIT_EVERY_OBSERVED_BYTES = 8 * 1024 * 1024;
export const LOAD_BYTES = 8 * 1024 * 1024;
export const LOAD_PAGES = 2_000;
/** Of a link that is still being read. */
const LOAD_EVERY_PAGES = 20;
const FIRST_LOAD_PAGES = 5;

/** Spreads the first loads of links that begin together: loading begins early, and never for all at once. */
export function pagesOfNextLoad(at: number, loaded: number): number {
  return loaded > 0 ? LOAD_EVERY_PAGES : FIRST_LOAD_PAGES + (at % (LOAD_EVERY_PAGES - FIRST_LOAD_PAGES));
}

/** While one ends, the others make calls. */
export const SLICES_AT_ONCE = 3;
/** Fewer are not worth an activity. */
const FEWEST_IN_SLICE = 32;

/** Takes so much of what is left that other slices, and so other workers, have as much. */
export function fairPart(left: number, most: number): number {
  return Math.min(most, Math.max(FEWEST_IN_SLICE, Math.ceil(left / SLICES_AT_ONCE)));
}

export const LINKS_PER_SLICE = 400;
/** While so many are open, no slice begins another one. */
export const LINKS_AT_ONCE = 800;
/** Users and links that a slice begins; while so many users wait for a retry, no others are begun. */
export const USERS_AT_ONCE = 1_000;
