import { HOUR, MINUTE } from "../../duration.js";

const MOST_READING_MS = 6 * HOUR;
/** Part of the schedule's interval: a run that lasts longer has the next one skipped. */
const MOST_OF_INTERVAL = 0.9;

/** How long a run reads one link before it ends as `still_reading`. @param everyMs the schedule's interval, if there is one */
export function longestReading(everyMs = Number.POSITIVE_INFINITY): number {
  return Math.min(MOST_READING_MS, everyMs * MOST_OF_INTERVAL);
}

/** How often what is committed comes into `transactions` while a run reads its last links. */
export function bringUpEvery(mostMs: number): number {
  return Math.min(5 * MINUTE, mostMs / 10);
}

/** Commit once this much is finished, over all slices: links or users, bytes of their pages, or time since the last commit. */
export const COMMIT_EVERY_LINKS = 5_000;
export const COMMIT_EVERY_BYTES = 64 * 1024 * 1024;
export const COMMIT_EVERY_MS = 30_000;
/** Commit also after so many bytes of lists without a cursor: nothing loads them before, and a run waits for its last commit. */
export const COMMIT_EVERY_OBSERVED_BYTES = 8 * 1024 * 1024;
/** Load finished links once their pages reach this many bytes, or this number. */
export const LOAD_BYTES = 8 * 1024 * 1024;
export const LOAD_PAGES = 2_000;
/** Pages of an unfinished link that are loaded while it is still being read. */
const LOAD_EVERY_PAGES = 20;
/** The fewest pages of a link's first load. */
const FIRST_LOAD_PAGES = 5;

/** Spreads the first loads of links that begin together, so that loading begins early and never for all at once. */
export function pagesOfNextLoad(at: number, loaded: number): number {
  return loaded > 0 ? LOAD_EVERY_PAGES : FIRST_LOAD_PAGES + (at % (LOAD_EVERY_PAGES - FIRST_LOAD_PAGES));
}

/** Slices of one run at a time, over different users and links: while one ends, the others make calls. */
export const SLICES_AT_ONCE = 3;
/** A slice of fewer things is not worth an activity of its own. */
const FEWEST_IN_SLICE = 32;

/** How many of the things that are left a slice takes, so that as much is there for the others, and so for other workers. */
export function fairPart(left: number, most: number): number {
  return Math.min(most, Math.max(FEWEST_IN_SLICE, Math.ceil(left / SLICES_AT_ONCE)));
}

/** Links that one slice continues. */
export const LINKS_PER_SLICE = 400;
/** Open links of a run; while there are so many, no slice begins another one. */
export const LINKS_AT_ONCE = 800;
/** Users to ask for, and links to begin, in one slice; also how many users may wait for a retry before fresh ones have to. */
export const USERS_AT_ONCE = 1_000;
