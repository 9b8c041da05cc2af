/** Commit once this much is finished, over all slices: links or users, bytes of their pages, or time since the last commit. */
export const COMMIT_EVERY_LINKS = 5_000;
export const COMMIT_EVERY_BYTES = 64 * 1024 * 1024;
export const COMMIT_EVERY_MS = 30_000;
/**
 * Commit also after so many bytes of lists without a cursor: nothing loads them before, so the last commit, for which a run
 * waits, should have few of them.
 */
export const COMMIT_EVERY_OBSERVED_BYTES = 8 * 1024 * 1024;
/** Load finished links once their pages reach this many bytes, or this number. */
export const LOAD_BYTES = 8 * 1024 * 1024;
export const LOAD_PAGES = 2_000;
/** Pages of an unfinished link that are loaded while it is still being read. */
export const LOAD_EVERY_PAGES = 20;
/** The fewest pages of a link's first load. */
export const FIRST_LOAD_PAGES = 5;
/** Links that one slice continues. */
export const LINKS_PER_SLICE = 400;
/** Open links of a run; while there are so many, no slice begins another one. */
export const LINKS_AT_ONCE = 800;
/** Users to ask for, and links to begin, in one slice; also how many users may wait for a retry before fresh ones have to. */
export const USERS_AT_ONCE = 1_000;
