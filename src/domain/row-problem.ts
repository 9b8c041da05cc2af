/** A rule that a value or a row breaks. */
export interface BrokenRule {
  /** Names the rule in ids of jobs and batches, so it never changes. */
  readonly code: string;
  /** What is wrong, in words that may change; never quotes a value. */
  readonly rule: string;
}

/** What is wrong with a row of an input file. */
export interface RowProblem extends BrokenRule {
  /** Line the row starts at, from 1. */
  readonly line: number;
  /** Null where it is the row as a whole. */
  readonly column: string | null;
}

/** What counts of a wrong row's problems in the id of its job or batch: columns and codes, no words. */
export function problemCodes(problems: readonly RowProblem[]): (readonly [string | null, string])[] {
  return problems.map(({ column, code }) => [column, code]);
}
