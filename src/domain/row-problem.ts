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
  /** The earlier line that a repeated row repeats. */
  readonly same_as_line?: number;
}

/** A row that an earlier line has already. */
export function repeatedRow(line: number, column: string | null, first: number): RowProblem {
  return { line, column, code: "repeated", rule: `is the same as in line ${first}`, same_as_line: first };
}

/** What counts of a wrong row's problems in the id of its job or batch: columns, codes and repeated lines, no words. */
export function problemCodes(problems: readonly RowProblem[]): unknown[] {
  return problems.map(({ column, code, same_as_line: first }) => [
    column,
    code,
    ...(first === undefined ? [] : [first]),
  ]);
}
