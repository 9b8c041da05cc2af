import { defineQuery, defineSignal } from "@temporalio/workflow";
import type { SyncTotals } from "../../domain/sync/sync-totals.js";

/** How far one group is, as it tells its run. */
export interface GroupProgress {
  readonly group: number;
  readonly linksTotal: number;
  readonly linksDone: number;
  /** Entries read, committed or not. */
  readonly rowsRead: number;
}

/** How far a run is. */
export interface SyncProgress {
  readonly runId: string;
  readonly usersTotal: number;
  readonly usersDone: number;
  readonly phase: "reading" | "materializing" | "finishing";
  /** Of groups that ended. */
  readonly totals: SyncTotals;
  /** Of groups that are going on. */
  readonly groups: readonly GroupProgress[];
}

export const groupProgressSignal = defineSignal<[GroupProgress]>("groupProgress");
export const syncProgressQuery = defineQuery<SyncProgress>("progress");
