import { type FrozenRow, isRight } from "./frozen-row.js";
import { type EarlierOutcome, standsFor } from "./outcome.js";

/** What is done with a row of a batch before anything is posted for it. */
export type RowState =
  /** It runs: nothing was posted under its key. */
  | "run"
  /** Its outcome stands in this batch already. */
  | "kept"
  /** It was posted in another batch: that outcome becomes this row's. */
  | "adopted"
  /** It breaks a rule. */
  | "invalid";

/** A row's plan; holds nothing personal. */
export interface PlannedRow {
  readonly state: RowState;
  /** The attempt that the row has now, or that its run will be; from 1. */
  readonly attempt: number;
  /** What is known of it, for `kept` and `adopted`. */
  readonly earlier: EarlierOutcome | null;
}

/**
 * Decides what is done with a row.
 *
 * @param own the row's latest outcome in its own batch.
 * @param others the latest outcome of the row's key in another batch.
 */
export function planRow(row: FrozenRow, own?: EarlierOutcome, others?: EarlierOutcome): PlannedRow {
  if (own !== undefined && standsFor(own)) return { state: "kept", attempt: own.attempt, earlier: own };
  const attempt = (own?.attempt ?? 0) + 1;
  if (!isRight(row)) return { state: "invalid", attempt, earlier: null };
  if (others !== undefined && standsFor(others)) return { state: "adopted", attempt, earlier: others };
  return { state: "run", attempt, earlier: null };
}
