import type { WaitingState } from "../waiting.js";
import type { BulkTotals } from "./bulk-totals.js";

/** How far a bulk job is. */
export interface BulkProgress extends WaitingState {
  readonly runId: string;
  /** Rows of the file. */
  readonly rows: number;
  readonly phase: "working" | "publishing" | "finishing";
  readonly totals: BulkTotals;
}
