/** What is wrong with a row of an input file; never quotes a value. */
export interface RowProblem {
  /** Line the row starts at, from 1. */
  readonly line: number;
  /** Null where it is the row as a whole. */
  readonly column: string | null;
  readonly rule: string;
}
