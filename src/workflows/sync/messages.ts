import { defineQuery } from "@temporalio/workflow";
import type { SyncFigures } from "../../domain/sync/run/sync-state.js";
import type { SyncTotals } from "../../domain/sync/sync-totals.js";

export interface SyncProgress extends SyncFigures {
  readonly runId: string;
  readonly usersTotal: number;
  readonly phase: "reading" | "materializing" | "finishing";
  /** What is committed. */
  readonly totals: SyncTotals;
}

export const syncProgressQuery = defineQuery<SyncProgress>("progress");
