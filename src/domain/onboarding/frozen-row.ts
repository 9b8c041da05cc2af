import type { RowProblem } from "../row-problem.js";
import type { CustomerRow, RowName } from "./customer.js";
import { type EarlierOutcome, standsFor } from "./outcome.js";

/** A row of a batch that can run. */
export interface RightRow {
  /** Place in the file, from 0, wrong rows counted: what workflows carry. */
  readonly row: number;
  readonly line: number;
  readonly rowKey: string;
  readonly identityHash: string;
  readonly customer: CustomerRow;
}

/** A row of a batch that broke a rule, kept for its outcome `invalid`. */
export interface WrongRow {
  readonly row: number;
  readonly line: number;
  readonly name: RowName;
  readonly problems: readonly RowProblem[];
}

/** A row of a customers file as its batch keeps it: sealed, because it holds personal data. */
export type FrozenRow = RightRow | WrongRow;

/** Whether a row can run. */
export function isRight(row: FrozenRow): row is RightRow {
  return "customer" in row;
}

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
