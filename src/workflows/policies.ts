import type { ActivityOptions, RetryPolicy } from "@temporalio/workflow";
import { FAILURE_TYPES } from "../domain/failure-types.js";

/** Every retry policy and time-out of the workflows stands here: one owner for each thing. */

const UNTIL_A_WORKER_LIVES: RetryPolicy = {
  initialInterval: "1s",
  backoffCoefficient: 2,
  maximumInterval: "30s",
  nonRetryableErrorTypes: [FAILURE_TYPES.input],
};

/**
 * Activities that heartbeat: a killed worker is noticed in ten seconds, and what it staged is found.
 * The calls within are not retried here; their failures are outcomes (`domain/link-course.ts`).
 */
export const HEARTBEATING: ActivityOptions = {
  startToCloseTimeout: "1h",
  heartbeatTimeout: "10s",
  retry: UNTIL_A_WORKER_LIVES,
};

/** Activities that are done in an instant. */
export const BRIEF: ActivityOptions = {
  startToCloseTimeout: "30s",
  retry: UNTIL_A_WORKER_LIVES,
};

/** A workflow task that a killed worker held is given to another one after this. */
export const TASK_TIMEOUT = "5s";

/** A slice advances its links for this long, and then says how far they came. */
export const SLICE_BUDGET_MS = 5_000;
/** Finished links are committed when so many rows are waiting, or after so long. */
export const COMMIT_EVERY_ROWS = 50_000;
export const COMMIT_EVERY_MS = 30_000;
/** Pages of an unfinished link that are loaded while it is still being read. */
export const LOAD_EVERY_PAGES = 20;
/** The fewest pages of a link's first load. */
export const FIRST_LOAD_PAGES = 5;
/** Loads that may be waiting while the next slice is read: more would fill the staging area. */
export const LOADS_BEHIND = 6;
/** Links that one slice advances. */
export const LINKS_PER_SLICE = 400;
/** Slices of one group at a time, over different links: the next one's calls go out while one ends. */
export const SLICES_AT_ONCE = 3;
/** Links that a group has admitted and not read to their end. */
export const LINKS_AT_ONCE = (SLICES_AT_ONCE + 1) * LINKS_PER_SLICE;
/** Groups of one run at a time. */
export const GROUPS_AT_ONCE = 4;
/** Groups after which a run continues as new. */
export const GROUPS_PER_EXECUTION = 200;
