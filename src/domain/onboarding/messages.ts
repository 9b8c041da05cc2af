import type { Refusals } from "../refusals.js";
import type { EventKind } from "../service/event-kind.js";
import type { OpenOutcome } from "./batch/batch-rows.js";
import type { BatchPause } from "./batch/batch-state.js";
import type { CustomerCounts } from "./batch/batch-totals.js";

/** Names of the signals by which a customer's workflow is told of things: whoever sends one names it so. */
export const CUSTOMER_SIGNALS = {
  event: "onboardingEvent",
  validated: "sessionValidated",
  watch: "watch",
  stop: "stop",
} as const;

/** Names of the signals that steer a batch. */
export const BATCH_SIGNALS = {
  reported: "customerReported",
  pause: "pause",
  resume: "resume",
  cancel: "cancelBatch",
  raiseLimit: "raiseLimit",
} as const;

/** Name of the query for a batch's counts. */
export const BATCH_PROGRESS = "progress";

/** What a webhook says of an onboarding, without anything personal; null for what its payload does not hold. */
export interface CustomerEvent {
  readonly messageId: string;
  readonly kind: EventKind;
  readonly onboardingId: string | null;
  readonly status: string | null;
  readonly requiresManualReview: boolean | null;
  readonly playbookVersion: number | null;
  /** The event's own time, epoch milliseconds; null where its text is none. */
  readonly at: number | null;
}

/** What validating a session said of an onboarding (docs/reference/service.md, "Session validation"). */
export interface SessionValidated {
  readonly onboardingId: string;
  readonly status: string;
  readonly requiresManualReview: boolean;
}

/** A batch that has a row of the same customer and wants to know when the customer is free. */
export interface WaitRequest {
  readonly batchWorkflowId: string;
  readonly batchId: string;
  readonly runId: string;
  readonly row: number;
  readonly line: number;
  readonly attempt: number;
  readonly rowKey: string;
  /** The outcome that the row has already; null where it has none. */
  readonly open: OpenOutcome | null;
  /** Whether links to go on are handed out for it. */
  readonly sink?: boolean;
  /** Name under which its calls are stopped once the credentials were refused. */
  readonly latch?: string;
  /** A `runs retry` of the row posts anew. */
  readonly retry?: boolean;
  /** The onboarding of the attempt before; null where it had none. */
  readonly before?: string | null;
}

/** The batch whose customers are to stop: a customer of another one goes on. */
export interface StopRequest {
  readonly batchId: string;
}

/** How far a batch is. */
export interface BatchProgress {
  readonly runId: string;
  readonly batchId: string;
  readonly customers: CustomerCounts;
  readonly manualReview: number;
  readonly calls: number;
  /** What the service refused. */
  readonly refusals: readonly Refusals[];
  /** Why it stands still; null where it doesn't. */
  readonly paused: BatchPause | null;
  /** Whether it was cancelled, and comes to its end. */
  readonly cancelling: boolean;
  /** Whether everything that ended stands in the tables. */
  readonly recorded: boolean;
  /** Whether its summary is made: rows that a higher limit adds from then on are another run's. */
  readonly finishing: boolean;
}
