import { defineQuery } from "@temporalio/workflow";
import type { SyncTotals } from "../../domain/sync/sync-totals.js";
import type { WaitingState } from "../../domain/waiting.js";

/** How far a run is. */
export interface SyncProgress extends WaitingState {
  readonly runId: string;
  readonly usersTotal: number;
  /** Users who were read to their end, or failed. */
  readonly usersDone: number;
  readonly phase: "reading" | "materializing" | "finishing";
  /** What is committed. */
  readonly totals: SyncTotals;
  readonly linksFound: number;
  /** Links that were read to their end, or ended otherwise. */
  readonly linksDone: number;
  /** Entries read, committed or not. */
  readonly rowsRead: number;
}

export const syncProgressQuery = defineQuery<SyncProgress>("progress");
