import { defineQuery, defineSignal } from "@temporalio/workflow";
import type { SyncTotals } from "../../domain/sync/sync-totals.js";
import type { WaitingState } from "../../domain/waiting.js";

/** What a group has found, read and committed, and what it waits for. */
export interface GroupFigures extends WaitingState {
  readonly linksTotal: number;
  readonly linksDone: number;
  /** Entries read, committed or not. */
  readonly rowsRead: number;
  readonly rowsCommitted: number;
}

/** How far one group is, as it tells its run. */
export interface GroupProgress extends GroupFigures {
  readonly group: number;
  /** Epoch milliseconds until which the group has nothing to do but wait; null while it works. */
  readonly waitsUntil: number | null;
}

/** How far a group is, as its run knows it. */
export interface GoingGroup extends GroupProgress {
  /** Users whose links are among those found, once it has found them. */
  readonly users: number;
}

/** How far a run is. */
export interface SyncProgress extends WaitingState {
  readonly runId: string;
  readonly usersTotal: number;
  readonly usersDone: number;
  readonly phase: "reading" | "materializing" | "finishing";
  /** Of groups that ended. */
  readonly totals: SyncTotals;
  /** Links of groups that ended, whose history was not ready: they are tried once more at the run's end. */
  readonly linksAgain: number;
  /** Of groups that are going on. */
  readonly groups: readonly GoingGroup[];
}

export const groupProgressSignal = defineSignal<[GroupProgress]>("groupProgress");
export const syncProgressQuery = defineQuery<SyncProgress>("progress");
