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

/** A value that may appear only once in a file, and the column to blame where it appears again. */
export interface UniqueValue {
  readonly column: string;
  readonly value: string;
}

/** The value of a column that may appear only once; null where an invalid row lacks it. */
export function uniqueIn<Column extends string>(column: Column) {
  return (row: { readonly [name in Column]?: string }): UniqueValue | null => {
    const value = row[column];
    return value === undefined ? null : { column, value };
  };
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

export interface NamedFile {
  readonly bytes: number;
  /** Hash of the file's bytes, in hex. */
  readonly sha256: string;
  /** By the file's extension; null where that is unknown. */
  readonly contentType: string | null;
}

/** A row of an input file: what it says, or what is wrong with it. */
export interface JudgedRow<Row extends object = object> {
  readonly line: number;
  /** Null for an invalid row. */
  readonly row: Row | null;
  readonly problems: readonly RowProblem[];
  /** Whose row an invalid one is, by its own first column. */
  readonly owner?: string;
  /** Files that it names, by column; their bytes are frozen with it. */
  readonly files?: Readonly<Record<string, NamedFile>>;
}

export function invalidRow(
  { line, row, problems, owner }: JudgedRow,
  more: readonly RowProblem[],
): JudgedRow<never> {
  const [named] = Object.values(row ?? {});
  const said = owner ?? (typeof named === "string" ? named : undefined);
  return { line, row: null, problems: [...problems, ...more], ...(said !== undefined && { owner: said }) };
}
