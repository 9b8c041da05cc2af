export interface BrokenRule {
  /** Part of ids of jobs and batches, so it never changes. */
  readonly code: string;
  /** Never quotes a value. */
  readonly rule: string;
}

export function broken(code: string, rule: string): BrokenRule {
  return { code, rule };
}

export interface RowProblem extends BrokenRule {
  /** Where the row starts, from 1. */
  readonly line: number;
  /** Null for the row as a whole. */
  readonly column: string | null;
  /** That a repeated row repeats. */
  readonly same_as_line?: number;
}

/** May appear once in a file. */
export interface UniqueValue {
  /** Null for the row as a whole. */
  readonly column: string | null;
  readonly value: string;
}

export function uniqueIn<Column extends string>(column: Column) {
  return (row: { readonly [name in Column]?: string }): UniqueValue | null => {
    const value = row[column];
    return value === undefined ? null : { column, value };
  };
}

export function repeatedRow(line: number, column: string | null, first: number): RowProblem {
  return { line, column, code: "repeated", rule: `is the same as in line ${first}`, same_as_line: first };
}

/** For the id of a job or batch: no words. */
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

export interface JudgedRow<Row extends object = object> {
  readonly line: number;
  /** Null for an invalid row. */
  readonly row: Row | null;
  readonly problems: readonly RowProblem[];
  /** Of an invalid row: its first column. */
  readonly owner?: string;
  /** What is right of an invalid row, where its rules ask for that. */
  readonly readable?: Row;
  /** By column; their bytes are frozen with it. */
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
