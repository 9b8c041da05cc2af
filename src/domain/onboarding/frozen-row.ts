import type { RowProblem } from "../row-problem.js";
import type { CustomerRow, RowName } from "./customer.js";

/** A row of a batch that can run. */
export interface RightRow {
  /** Index in the file, from 0, wrong rows counted: what workflows carry. */
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
