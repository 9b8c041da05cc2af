import type { ActivityOptions, RetryPolicy } from "@temporalio/workflow";
import { FAILURE_TYPES } from "../domain/failures.js";

/** Every retry policy and time-out of the workflows stands here: one owner for each thing. */

/** Only lost workers go on for ever: what an activity throws is given up in the end (`activities/failure.ts`). */
const UNTIL_A_WORKER_LIVES: RetryPolicy = {
  initialInterval: "1s",
  backoffCoefficient: 2,
  maximumInterval: "30s",
  nonRetryableErrorTypes: [FAILURE_TYPES.input],
};

/**
 * Activities that heartbeat: a killed worker is noticed in ten seconds, and what it staged is found.
 * The calls within are not retried here; their failures are outcomes (`domain/sync/link-reading.ts`).
 */
export const HEARTBEATING: ActivityOptions = {
  startToCloseTimeout: "1h",
  heartbeatTimeout: "10s",
  retry: UNTIL_A_WORKER_LIVES,
};

/** As {@link HEARTBEATING}, of what works in a run's staging: a run that is cancelled waits for it before it deletes that. */
export const IN_STAGING: ActivityOptions = {
  ...HEARTBEATING,
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
};

/** What is tried once only: it is done again later, whatever becomes of it now. */
export const TRIED_ONCE: ActivityOptions = { ...HEARTBEATING, retry: { maximumAttempts: 1 } };

/** A run that is waited for as long as it takes: a batch waits for its customers for weeks. */
export const FOLLOWED_RUN: ActivityOptions = { ...HEARTBEATING, startToCloseTimeout: "3650d" };

/** What trying again does not mend. A full disk, the network and a service that is busy are not among them. */
const FINAL: string[] = [
  FAILURE_TYPES.auth,
  FAILURE_TYPES.notFound,
  FAILURE_TYPES.rejected,
  FAILURE_TYPES.schema,
  FAILURE_TYPES.input,
  FAILURE_TYPES.lostAnswer,
];

/** About an hour: attempts are counted instead of time, so that a machine that was off has lost none. */
const FOR_AN_HOUR: RetryPolicy = {
  initialInterval: "1s",
  backoffCoefficient: 2,
  maximumInterval: "5m",
  maximumAttempts: 20,
  nonRetryableErrorTypes: FINAL,
};

/** About a day: given up, it would not be known whether it took effect. */
const FOR_A_DAY: RetryPolicy = { ...FOR_AN_HOUR, maximumAttempts: 300 };

/** One call that changes nothing, or nothing that counts. */
const READ_CALL: ActivityOptions = {
  startToCloseTimeout: "30m",
  heartbeatTimeout: "10s",
  retry: FOR_AN_HOUR,
};

/** One call that changes something: a repetition first settles what became of the one before (call-once.ts). */
const WRITE_CALL: ActivityOptions = { ...READ_CALL, retry: FOR_A_DAY };

/**
 * A step of a customer's onboarding: the activity itself ends a row that has failed for long, so that its outcome is
 * written in the same step.
 */
export const CUSTOMER_STEP: ActivityOptions = {
  ...READ_CALL,
  startToCloseTimeout: "6h",
  retry: { ...UNTIL_A_WORKER_LIVES, maximumInterval: "5m", nonRetryableErrorTypes: FINAL },
};

/** A cancelled batch waits so long for a step of a customer that is going on, besides a decision's own time. */
export const STOP_AFTER_MS = 15_000;

/** One message to whom alerts are delivered: given up after about a day. */
export const ALERT_DELIVERY: ActivityOptions = {
  startToCloseTimeout: "2m",
  heartbeatTimeout: "10s",
  retry: FOR_A_DAY,
};

/** One call with a body, or an answer, of any length. */
const STREAM_CALL: ActivityOptions = { ...WRITE_CALL, startToCloseTimeout: "6h" };

/** Which of these each operation of the service has. */
export const CALL_POLICIES: Readonly<Record<string, ActivityOptions>> = {
  create_onboarding: WRITE_CALL,
  list_user_onboardings: READ_CALL,
  list_business_onboardings: READ_CALL,
  get_onboarding: READ_CALL,
  validate_session: READ_CALL,
  create_client_token: READ_CALL,
  decrypt_vault: READ_CALL,
  update_vault: WRITE_CALL,
  upload_to_vault: STREAM_CALL,
  create_cip_report: WRITE_CALL,
  get_user: READ_CALL,
  create_business: WRITE_CALL,
  update_business: WRITE_CALL,
  get_business_insights: READ_CALL,
  list_bank_links: READ_CALL,
  list_user_accounts: READ_CALL,
  list_link_accounts: READ_CALL,
  list_user_transactions: READ_CALL,
  list_investment_transactions: READ_CALL,
  sync_transactions: READ_CALL,
  import_transactions: WRITE_CALL,
  call_vault_proxy: STREAM_CALL,
  send_test_webhook: WRITE_CALL,
};

/** A slice advances its links for this long, and then says how far they came. */
export const SLICE_BUDGET_MS = 5_000;
/**
 * What is finished is committed when there is so much of it, over all slices: so many links or users, so many bytes of
 * their pages; or after so long.
 */
export const COMMIT_EVERY_LINKS = 5_000;
export const COMMIT_EVERY_BYTES = 64 * 1024 * 1024;
export const COMMIT_EVERY_MS = 30_000;
/** Links that were finished at once are loaded when their pages are so large, or so many. */
export const LOAD_BYTES = 8 * 1024 * 1024;
export const LOAD_PAGES = 2_000;
/** Pages of an unfinished link that are loaded while it is still being read. */
export const LOAD_EVERY_PAGES = 20;
/** The fewest pages of a link's first load. */
export const FIRST_LOAD_PAGES = 5;
/** Loads that may be waiting while the next slice is read: more would fill the staging area. */
export const LOADS_BEHIND = 6;
/** Links that one slice continues. */
export const LINKS_PER_SLICE = 400;
/** Slices of one run at a time, over different users and links: the next one's calls go out while one ends. */
export const SLICES_AT_ONCE = 3;
/** Links that are begun and not read to their end: no more are begun then. */
export const LINKS_AT_ONCE = 800;
/** Users, and links to begin, of one slice; and users who may be waiting for another try while others are read. */
export const USERS_AT_ONCE = 1_000;
/** Groups of one bulk job at a time. */
export const GROUPS_AT_ONCE = 4;
/** A run that has nothing to do but wait for so long commits what is finished. */
export const LONG_PAUSE_MS = 5_000;

/** Rows of a batch that are planned, and outcomes that are written, at once. */
export const ROWS_AT_ONCE = 500;
/** Customers after which a batch continues as new. */
export const STARTS_PER_EXECUTION = 300;

/** One commit of webhooks: given up after about a minute, and begun anew with what has come meanwhile. */
export const EVENTS_COMMIT: ActivityOptions = {
  ...HEARTBEATING,
  retry: { ...UNTIL_A_WORKER_LIVES, maximumAttempts: 6 },
};
/** Webhooks are written into their table when so many have come, or after so long. */
export const EVENTS_AT_ONCE = 500;
export const EVENTS_COLLECT_MS = 3_000;
/** The wait after a commit that was given up. */
export const EVENTS_PAUSE_MS = 30_000;
/** The waits between two looks at whether the sync of a changed bank link's user has ended. */
export const FOLLOW_UP_FIRST_LOOK_MS = 1_000;
export const FOLLOW_UP_MOST_LOOK_MS = 60_000;
