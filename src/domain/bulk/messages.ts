import type { BulkTotals } from "./bulk-totals.js";

/** How far a bulk job is. */
export interface BulkProgress {
  readonly runId: string;
  /** Rows of the file. */
  readonly rows: number;
  readonly phase: "working" | "publishing" | "finishing";
  readonly totals: BulkTotals;
}
