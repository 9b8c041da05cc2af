import { createHash } from "node:crypto";
import { type FrozenBulkRow, frozenLine } from "../../domain/bulk/frozen-row.js";
import type { RowProblem } from "../../domain/row-problem.js";
import type { AnyJob, JobRow } from "../../jobs/job.js";
import { fileError, type InputFile } from "../files/input-file.js";
import { type InputRow, readRows } from "../files/rows.js";

/** The rows of a job, judged; they are not kept, but read again when they are frozen. */
export interface JudgedRows {
  readonly total: number;
  readonly invalid: number;
  /** Hex, of all rows. */
  readonly sha256: string;
  /** All that is wrong with rows, in the file's order. */
  readonly problems: readonly RowProblem[];
  /** What was ignored, in words for the user. */
  readonly warnings: readonly string[];
  /** The first right row. */
  readonly first: object | undefined;
  /** The rows, wrong ones among them, in the order in which they are frozen. */
  rows(): AsyncIterable<FrozenBulkRow>;
}

/**
 * Reads and judges the input file of a bulk job: CSV or JSONL by its extension, else by its content. Wrong rows are no
 * error here.
 *
 * @throws InputError where the file can't be read as a whole: not there, no UTF-8, no CSV, a header without a column.
 */
export async function judgeRows(job: AnyJob, path: string): Promise<JudgedRows> {
  const file: InputFile = { path, ...job.file };
  const ignored = new Set<string>();
  const judged = await countRows(() => frozenRows(job, file, ignored));
  if (judged.total === 0) throw fileError(file, "has no row", `Its columns: ${columnsOf(job).join(", ")}.`);
  const list = [...ignored].map((name) => JSON.stringify(name)).join(", ");
  const warning = `${file.name} ${path}: ignored ${list}; its columns are ${columnsOf(job).join(", ")}`;
  return { ...judged, warnings: ignored.size > 0 ? [warning] : [] };
}

/** Goes through rows once, to know them without keeping them. */
export async function countRows(rows: () => AsyncIterable<FrozenBulkRow>): Promise<JudgedRows> {
  const hash = createHash("sha256");
  const problems: RowProblem[] = [];
  let total = 0;
  let invalid = 0;
  let first: object | undefined;
  for await (const one of rows()) {
    total += 1;
    if (one.row === null) invalid += 1;
    else first ??= one.row;
    problems.push(...one.problems);
    hash.update(frozenLine(one));
  }
  return { total, invalid, problems, first, sha256: hash.digest("hex"), warnings: [], rows };
}

/** Rows of which more is known to be wrong. */
export async function withProblems(judged: JudgedRows, problems: readonly RowProblem[]): Promise<JudgedRows> {
  if (problems.length === 0) return judged;
  const byLine = new Map<number, RowProblem[]>();
  for (const problem of problems) byLine.set(problem.line, [...(byLine.get(problem.line) ?? []), problem]);
  async function* rows(): AsyncGenerator<FrozenBulkRow> {
    for await (const one of judged.rows()) {
      const wrong = byLine.get(one.line);
      yield wrong === undefined ? one : wrongRow(one, wrong);
    }
  }
  return { ...(await countRows(rows)), warnings: judged.warnings };
}

/** The right rows, as a kind's own functions take them. */
export async function* rightRows(rows: AsyncIterable<FrozenBulkRow>): AsyncGenerator<JobRow<object>> {
  for await (const { line, row } of rows) if (row !== null) yield { line, row };
}

async function* frozenRows(
  job: AnyJob,
  file: InputFile,
  ignored: Set<string>,
): AsyncGenerator<FrozenBulkRow> {
  const complete = job.complete?.();
  const completed = ({ row, ...rest }: FrozenBulkRow) => ({
    ...rest,
    row: row === null || complete === undefined ? row : complete.row(row),
  });
  const rows = judgedRows(job, file, ignored);
  if (job.order === undefined) {
    for await (const row of rows) yield completed(row);
    return;
  }
  const kept: FrozenBulkRow[] = [];
  for await (const row of rows) kept.push(row);
  const order = job.order.bind(job);
  kept.sort((a, b) => (a.row === null || b.row === null ? nullsLast(a, b) : order(a.row, b.row)));
  yield* kept.map(completed);
}

function nullsLast(a: FrozenBulkRow, b: FrozenBulkRow): number {
  if (a.row === null && b.row === null) return a.line - b.line;
  return a.row === null ? 1 : -1;
}

async function* judgedRows(
  job: AnyJob,
  file: InputFile,
  ignored: Set<string>,
): AsyncGenerator<FrozenBulkRow> {
  const known = columnsOf(job);
  const firstLine = new Map<string, number>();
  const ignore = (column: string) => {
    if (!known.includes(column)) ignored.add(column);
  };
  const checkHeader = (columns: readonly string[], line: number) => {
    columns.forEach(ignore);
    checkColumns(job, file, columns, line);
  };
  for await (const given of readRows(file, checkHeader)) {
    for (const column of given.values.keys()) ignore(column);
    const judged = judgeRow(job, known, given);
    const same = judged.row === null ? undefined : repetition(job, judged, firstLine);
    yield same === undefined ? judged : wrongRow(judged, [same]);
  }
}

function judgeRow(
  job: AnyJob,
  known: readonly string[],
  { line, form, values, problems, losesDigits }: InputRow,
): FrozenBulkRow {
  const wrong: RowProblem[] = [...problems];
  const said = values.get(known[0] ?? "");
  const owner = typeof said === "string" ? { owner: said } : {};
  if (losesDigits) {
    wrong.push({
      line,
      column: null,
      rule: "has a number of more than 15 digits: give it as text, or it changes",
    });
  }
  if (wrong.length > 0) return { line, row: null, problems: wrong, ...owner };
  const cells = known.flatMap((column) => {
    const value = values.get(column);
    const isEmpty = value === null || value === undefined || (value === "" && form === "csv");
    return isEmpty ? [] : [[column, value] as const];
  });
  const parsed = job.row.safeParse(Object.fromEntries(cells));
  if (parsed.success) return { line, row: parsed.data, problems: [] };
  for (const { path, message } of parsed.error.issues) {
    wrong.push({ line, column: path[0] === undefined ? null : String(path[0]), rule: message });
  }
  return { line, row: null, problems: wrong, ...owner };
}

/** A right row of which more is known. */
function wrongRow({ line, row, problems, owner }: FrozenBulkRow, more: readonly RowProblem[]): FrozenBulkRow {
  const [named] = Object.values(row ?? {});
  const said = owner ?? (typeof named === "string" ? named : undefined);
  return { line, row: null, problems: [...problems, ...more], ...(said !== undefined && { owner: said }) };
}

function repetition(
  job: AnyJob,
  { line, row }: FrozenBulkRow,
  firstLine: Map<string, number>,
): RowProblem | undefined {
  const unique = row === null ? null : (job.unique?.(row) ?? null);
  if (unique === null) return undefined;
  const first = firstLine.get(unique.value);
  if (first !== undefined) return { line, column: unique.column, rule: `is the same as in line ${first}` };
  firstLine.set(unique.value, line);
  return undefined;
}

function columnsOf(job: AnyJob): string[] {
  return Object.keys(job.row.shape);
}

function checkColumns(job: AnyJob, file: InputFile, columns: readonly string[], line: number): void {
  const known = columnsOf(job);
  const missing = known.find(
    (name) => !columns.includes(name) && !job.row.shape[name].safeParse(undefined).success,
  );
  if (missing !== undefined) {
    // The line may be data, so it isn't quoted.
    const advice = `Give a header line with columns of these names, separated by commas: ${known.join(", ")}.`;
    throw fileError(
      file,
      `line ${line}: no column ${missing} among the ${columns.length} of the header`,
      advice,
    );
  }
  const twice = known.find((name) => columns.indexOf(name) !== columns.lastIndexOf(name));
  if (twice !== undefined)
    throw fileError(file, `line ${line}: column ${twice} appears twice`, "Remove one of them.");
}
