import type { EventKind } from "../service/event-kind.js";
import { TRY_NOW, type WaitingState } from "../waiting.js";
import type { BatchState } from "./batch/batch-state.js";
import type { CustomerCounts } from "./batch/batch-totals.js";
import type { Said } from "./verdict.js";

export const FOLLOW_SIGNALS = {
  handOver: "handOver",
  news: "news",
  stop: "stopBatch",
  tryNow: TRY_NOW,
} as const;

/** What the query `progress` says of it: the open rows of a lake, which are in work or are waited for. */
export interface FollowProgress {
  readonly rows: number;
  readonly oldest: string | null;
  readonly next: string | null;
  readonly lost?: readonly string[];
}

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
  readonly messageId: string | null;
  readonly kind: EventKind | typeof VALIDATED;
  readonly onboardingId: string | null;
  readonly playbookVersion: number | null;
  /** The event's own time, epoch milliseconds; null where it has no valid one. */
  readonly at: number | null;
}

export interface BatchProgress
  extends Pick<BatchState, "manualReview" | "calls" | "answer_bytes" | "refusals" | "paused">,
    WaitingState {
  readonly runId: string;
  readonly batchId: string;
  readonly customers: CustomerCounts;
  readonly cancelling: boolean;
}
