import type { ActivityOptions } from "@temporalio/workflow";
import { type RetryPolicy, STEP_RETRY, triesOf } from "../domain/backoff.js";
import { DAY, MINUTE, SECOND } from "../domain/duration.js";
import { FAILURE_TYPES } from "../domain/failures.js";

// Every retry policy and time-out of the workflows.

/** A policy as Temporal has it, which counts attempts. */
function retry(policy: RetryPolicy) {
  return {
    initialInterval: policy.first,
    backoffCoefficient: 2,
    maximumInterval: policy.longest,
    maximumAttempts: triesOf(policy),
    nonRetryableErrorTypes: [FAILURE_TYPES.input],
  };
}

/** Without end, which only lost workers need: `activities/failure.ts` ends the retries of thrown errors. */
const UNTIL_A_WORKER_LIVES = retry({ ...STEP_RETRY, until: Number.POSITIVE_INFINITY });

/** Temporal notices a killed worker in ten seconds. Failures of calls are outcomes, and not retried so. */
export const HEARTBEATING: ActivityOptions = {
  // Otherwise the worker of the workflow gets all its activities.
  allowEagerDispatch: false,
  startToCloseTimeout: "1h",
  heartbeatTimeout: "10s",
  retry: UNTIL_A_WORKER_LIVES,
};

/** Work in a run's staging: a cancelled run waits for it before it deletes the staging. */
export const IN_STAGING: ActivityOptions = {
  ...HEARTBEATING,
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
};

/** A later step does it again in any case. */
export const TRIED_ONCE: ActivityOptions = { ...HEARTBEATING, retry: { maximumAttempts: 1 } };

/** A batch waits for its customers for weeks. */
export const FOLLOWED_RUN: ActivityOptions = { ...HEARTBEATING, startToCloseTimeout: "3650d" };

/** Waited for when its batch is cancelled: it could stage an outcome beside the one that ends the row. */
export const STEPS_OF_ROWS: ActivityOptions = { ...IN_STAGING, startToCloseTimeout: "6h" };

export const ROWS_IN_WORK = 400;
export const ROW_SLICES_AT_ONCE = 8;
/** After a slice failed. */
export const SLICE_PAUSE_MS = 30_000;

/** For rows of a cancelled batch that are worked on, besides the time that a decision may take. */
export const STOP_AFTER_MS = 15_000;

/** A hook's command may take an hour. */
export const HOOK_DELIVERY: ActivityOptions = {
  startToCloseTimeout: "65m",
  heartbeatTimeout: "10s",
  retry: retry({ first: SECOND, longest: 5 * MINUTE, until: DAY }),
};
/** In one execution. */
export const LATE_LOOKS = 500;

export const SLICE_BUDGET_MS = 5_000;
/** Of a run's first slices: one worker may have taken all of them. */
export const FIRST_SLICE_BUDGET_MS = 1_000;
/** More loads and commits in the queue would fill the staging area. */
export const LOADS_BEHIND = 6;
export const GROUPS_AT_ONCE = 4;
/** Before a wait as long as this, a run commits what is finished. */
export const LONG_PAUSE_MS = 5_000;

/** Rows of a batch to plan, and outcomes to write, at once. */
export const ROWS_AT_ONCE = 500;
/** Customers after which a batch continues as new. */
export const STARTS_PER_EXECUTION = 300;

/** The next commit includes what has come meanwhile. */
export const EVENTS_COMMIT: ActivityOptions = {
  ...HEARTBEATING,
  retry: retry({ ...STEP_RETRY, until: MINUTE }),
};
/** Webhooks are committed once so many have come, or after so long. */
export const EVENTS_AT_ONCE = 500;
export const EVENTS_COLLECT_MS = 3_000;
/** After giving up a commit. */
export const EVENTS_PAUSE_MS = 30_000;
/** Between two polls for the end of a follow-up sync. */
export const FOLLOW_UP_FIRST_LOOK_MS = 1_000;
export const FOLLOW_UP_MOST_LOOK_MS = 60_000;
