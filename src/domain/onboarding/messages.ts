import type { EventKind } from "../service/event-kind.js";
import { TRY_NOW, type WaitingState } from "../waiting.js";
import type { BatchState } from "./batch/batch-state.js";
import type { CustomerCounts } from "./batch/batch-totals.js";
import type { Said } from "./verdict.js";

/** Names of the signals to `follow`, the workflow of a lake that works on open rows and waits for them. */
export const FOLLOW_SIGNALS = {
  handOver: "handOver",
  news: "news",
  stop: "stopBatch",
  tryNow: TRY_NOW,
} as const;

/** What the query `progress` says of it: the open rows of a lake, which are in work or are waited for. */
export interface FollowProgress {
  readonly rows: number;
  /** ISO instant at which the oldest began; null without one. */
  readonly oldest: string | null;
  /** ISO instant at which the next one is due; null where all are in work. */
  readonly next: string | null;
  /** Objects of open rows that were lost; left out for none. */
  readonly lost?: readonly string[];
}

/** What becomes of the rows of an object that is lost, and what to do. */
export const AFTER_LOSS =
  "batches in progress hand its rows over again within ten minutes; for other batches whose customers are still waited for, give their command again; find out what changes files of the lake";

export const BATCH_SIGNALS = {
  reported: "customerReported",
  pause: "pause",
  resume: "resume",
  cancel: "cancelBatch",
} as const;

/** Kind of the news that a customer's session was validated (docs/reference/service.md, "Session validation"). */
export const VALIDATED = "validated";

/** What a webhook or a validated session says of an onboarding, nothing personal; null for what it leaves out. */
export interface CustomerEvent extends Said {
  /** Null where no webhook says it. */
  readonly messageId: string | null;
  readonly kind: EventKind | typeof VALIDATED;
  readonly onboardingId: string | null;
  readonly playbookVersion: number | null;
  /** The event's own time, epoch milliseconds; null where it has no valid one. */
  readonly at: number | null;
}

/** What the query `progress` says of a batch. */
export interface BatchProgress
  extends Pick<BatchState, "manualReview" | "calls" | "answer_bytes" | "refusals" | "paused">,
    WaitingState {
  readonly runId: string;
  readonly batchId: string;
  readonly customers: CustomerCounts;
  readonly cancelling: boolean;
}
