import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import type { ApiClient } from "../../api/http/client.js";
import { type FrozenBulkRow, frozenLine } from "../../domain/bulk/frozen-row.js";
import { InputError } from "../../domain/failures.js";
import { type RowProblem, repeatedRow } from "../../domain/row-problem.js";
import { codeOfIssue } from "../../jobs/fields.js";
import { jobOfKind } from "../../jobs/index.js";
import type { AnyJob, JobRow } from "../../jobs/job.js";
import type { BytesOf } from "../../lake/bulk/bulk-staging.js";
import { fileError, type InputFile } from "../files/input-file.js";
import { countedProblems } from "../files/row-problems.js";
import { type InputRow, LONG_NUMBER, readRows } from "../files/rows.js";
import { type InspectedFiles, inspectFiles, uploadedBytes } from "../files/uploaded-file.js";

/** The judged rows of a job. Memory does not hold them: they are read again when they are frozen. */
export interface JudgedRows {
  readonly total: number;
  readonly invalid: number;
  /** Hash of all rows, in hex. */
  readonly sha256: string;
  /** Every problem, in the file's order. */
  readonly problems: readonly RowProblem[];
  /** Warnings for the user of what was ignored. */
  readonly warnings: readonly string[];
  /** The first valid row. */
  readonly first: object | undefined;
  /** The rows, invalid ones among them, in the order in which they are frozen. */
  rows(): AsyncIterable<FrozenBulkRow>;
  /** Opens a file that a row names; left out for rows that name none. */
  readonly bytes?: BytesOf | undefined;
}

/**
 * Reads and judges the input file of a bulk job: CSV or JSONL by its extension, else by its content. Invalid rows are
 * no error here.
 *
 * @throws InputError where the file can't be read as a whole: not there, not UTF-8, not CSV, a column missing.
 */
export async function judgeRows(job: AnyJob, path: string): Promise<JudgedRows> {
  const file: InputFile = { path, ...job.file };
  const columns = Object.keys(job.row.shape).join(", ");
  const ignored = new Set<string>();
  const inspected: InspectedFiles = new Map();
  const bytes: BytesOf = (row, column) => uploadedBytes(pathIn(file, row.row ?? {}, column));
  const judged = await countRows(() => frozenRows(job, file, ignored, inspected), job.files && bytes);
  if (judged.total === 0) throw fileError(file, "has no row", `Its columns: ${columns}.`);
  const list = [...ignored].map((name) => JSON.stringify(name)).join(", ");
  const meaning = job.file.ignored === undefined ? "" : `; ${job.file.ignored}`;
  const warning = `${file.name} ${path}: ignored ${list}; its columns are ${columns}${meaning}`;
  return { ...judged, warnings: ignored.size > 0 ? [warning] : [] };
}

/** Reads rows once to count, hash and judge them, without keeping them. */
export async function countRows(
  rows: () => AsyncIterable<FrozenBulkRow>,
  bytes?: BytesOf,
): Promise<JudgedRows> {
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
  return { total, invalid, problems, first, sha256: hash.digest("hex"), warnings: [], rows, bytes };
}

/**
 * Adds the rows of another kind that a run takes along. Their lines count on after the last one of its own, because a
 * line names one row of a run; what is wrong with them is said by the lines of their file.
 */
export async function withRowsOf(kind: string, own: JudgedRows, others: JudgedRows): Promise<JudgedRows> {
  async function* rows(): AsyncGenerator<FrozenBulkRow> {
    let last = 0;
    for await (const one of own.rows()) {
      last = Math.max(last, one.line);
      yield one;
    }
    const { file } = jobOfKind(kind);
    for await (const one of others.rows()) {
      const place = { file: file.name, file_line: one.line };
      yield { ...one, line: last + one.line, kind, place };
    }
  }
  return { ...(await countRows(rows)), warnings: [...own.warnings, ...others.warnings] };
}

/** Adds to rows the problems that only the service knows about. */
export async function checkedRows(job: AnyJob, judged: JudgedRows, api: ApiClient): Promise<JudgedRows> {
  async function* valid(): AsyncGenerator<JobRow<object>> {
    for await (const { line, row } of judged.rows()) if (row !== null) yield { line, row };
  }
  return withProblems(judged, (await job.check?.(api, valid())) ?? []);
}

/** Adds problems to rows. */
export async function withProblems(judged: JudgedRows, problems: readonly RowProblem[]): Promise<JudgedRows> {
  if (problems.length === 0) return judged;
  const byLine = new Map<number, RowProblem[]>();
  for (const problem of problems) byLine.set(problem.line, [...(byLine.get(problem.line) ?? []), problem]);
  async function* rows(): AsyncGenerator<FrozenBulkRow> {
    for await (const one of judged.rows()) {
      const more = byLine.get(one.line);
      yield more === undefined ? one : invalidRow(one, more);
    }
  }
  return { ...(await countRows(rows, judged.bytes)), warnings: judged.warnings };
}

/** Refuses a file with invalid rows, unless only the valid ones are to run. @throws InputError */
export function refuseInvalid(
  { file }: AnyJob,
  path: string,
  judged: JudgedRows,
  continueInvalid: boolean,
): JudgedRows {
  const { problems } = judged;
  if (problems.length === 0 || continueInvalid) return judged;
  throw new InputError(
    `${file.name} ${path}: ${countedProblems(problems)}\n` +
      "Nothing was started. Fix the file, or run the valid rows with --continue-invalid.",
  );
}

/** Reads the rows of a file as they are frozen: judged, in the kind's order, and completed by the kind. */
async function* frozenRows(
  job: AnyJob,
  file: InputFile,
  ignored: Set<string>,
  inspected: InspectedFiles,
): AsyncGenerator<FrozenBulkRow> {
  const complete = job.complete?.();
  for await (const one of inOrder(job, judgedRows(job, file, ignored, inspected))) {
    yield one.row === null ? one : { ...one, row: complete?.row(one.row) ?? one.row };
  }
}

async function* inOrder(job: AnyJob, rows: AsyncIterable<FrozenBulkRow>): AsyncGenerator<FrozenBulkRow> {
  if (job.order === undefined) return yield* rows;
  const kept: FrozenBulkRow[] = [];
  for await (const row of rows) kept.push(row);
  const order = job.order.bind(job);
  const compare = (a: FrozenBulkRow, b: FrozenBulkRow) => {
    if (a.row !== null && b.row !== null) return order(a.row, b.row);
    // Invalid rows come last, by their lines.
    return a.row === b.row ? a.line - b.line : a.row === null ? 1 : -1;
  };
  yield* kept.sort(compare);
}

async function* judgedRows(
  job: AnyJob,
  file: InputFile,
  ignored: Set<string>,
  inspected: InspectedFiles,
): AsyncGenerator<FrozenBulkRow> {
  const firstLine = new Map<string, number>();
  const ignore = (column: string) => {
    if (!isTaken(job, column)) ignored.add(column);
  };
  const checkHeader = (columns: readonly string[], line: number) => {
    columns.forEach(ignore);
    checkColumns(job, file, columns, line);
  };
  for await (const given of readRows(file, checkHeader)) {
    for (const column of given.values.keys()) ignore(column);
    const judged = await withFiles(job, file, judgeRow(job, given), inspected);
    // An invalid row's value counts too: once the row is right, it would be there twice.
    const unique = job.unique?.(judged.row ?? readableRow(job, given)) ?? null;
    const first = unique === null ? undefined : firstLine.get(unique.value);
    if (unique === null || first === undefined) {
      if (unique !== null) firstLine.set(unique.value, judged.line);
      yield judged;
    } else yield invalidRow(judged, [repeatedRow(judged.line, unique.column, first)]);
  }
}

/** Whether a row has this column: one that the kind names, or any where the kind takes further ones. */
function isTaken({ row }: AnyJob, column: string): boolean {
  return Object.hasOwn(row.shape, column) || row.def.catchall !== undefined;
}

function judgeRow(job: AnyJob, given: InputRow): FrozenBulkRow {
  const { line, values, problems, losesDigits } = given;
  const known = Object.keys(job.row.shape);
  const said = values.get(known[0] ?? "");
  const owner = typeof said === "string" ? { owner: said } : {};
  const wrong = losesDigits ? [...problems, { line, column: null, ...LONG_NUMBER }] : problems;
  if (wrong.length > 0) return { line, row: null, problems: wrong, ...owner };
  const row = Object.fromEntries(cellsOf(job, given));
  const parsed = job.row.safeParse(row);
  if (parsed.success) return { line, row: parsed.data, problems: [] };
  const broken = parsed.error.issues.map((issue): RowProblem => {
    const column = issue.path.length === 0 ? null : String(issue.path[0]);
    return {
      line,
      column,
      code: codeOfIssue(issue, column === null || Object.hasOwn(row, column)),
      rule: issue.message,
    };
  });
  return { line, row: null, problems: broken, ...owner };
}

/** The cells of a row that are not empty: those of the columns that the kind names, then further ones that it takes. */
function cellsOf(job: AnyJob, { form, values }: InputRow): [string, unknown][] {
  const known = Object.keys(job.row.shape);
  const further = [...values.keys()].filter((column) => !known.includes(column) && isTaken(job, column));
  return [...known, ...further].flatMap((column) => {
    const value = values.get(column);
    const isEmpty = value === null || value === undefined || (value === "" && form === "csv");
    return isEmpty ? [] : [[column, value]];
  });
}

/** The values of an invalid row that are right by themselves. */
function readableRow(job: AnyJob, given: InputRow): object {
  const cells = cellsOf(job, given).flatMap(([column, value]) => {
    const parsed = job.row.shape[column]?.safeParse(value);
    return parsed?.success ? [[column, parsed.data] as const] : [];
  });
  return Object.fromEntries(cells);
}

/** Adds to a valid row the files that it names, or what is wrong with them. */
async function withFiles(
  job: AnyJob,
  file: InputFile,
  judged: FrozenBulkRow,
  inspected: InspectedFiles,
): Promise<FrozenBulkRow> {
  const { line, row } = judged;
  const columns = row === null ? [] : (job.files?.(row) ?? []);
  if (row === null || columns.length === 0) return judged;
  const paths = new Map(columns.map((column) => [column, pathIn(file, row, column)]));
  const { found, problems } = await inspectFiles(line, paths, inspected);
  return problems.length > 0 ? invalidRow(judged, problems) : { ...judged, files: Object.fromEntries(found) };
}

/** The path that a row gives in a column; it begins at the input file's own directory. */
function pathIn({ path }: InputFile, row: object, column: string): string {
  return resolve(dirname(path), String((row as Readonly<Record<string, unknown>>)[column]));
}

/** Makes a valid row invalid, by problems that were found later. */
function invalidRow(
  { line, row, problems, owner }: FrozenBulkRow,
  more: readonly RowProblem[],
): FrozenBulkRow {
  const [named] = Object.values(row ?? {});
  const said = owner ?? (typeof named === "string" ? named : undefined);
  return { line, row: null, problems: [...problems, ...more], ...(said !== undefined && { owner: said }) };
}

function checkColumns(job: AnyJob, file: InputFile, columns: readonly string[], line: number): void {
  const known = Object.keys(job.row.shape);
  const missing = known.find(
    (name) => !columns.includes(name) && !job.row.shape[name].safeParse(undefined).success,
  );
  if (missing !== undefined) {
    // The line may be data, so it isn't quoted.
    const problem = `line ${line}: no column ${missing} among the ${columns.length} of the header`;
    const advice = `Give a header line with columns of these names, separated by commas: ${known.join(", ")}.`;
    throw fileError(file, problem, advice);
  }
  const twice = columns.find((name, at) => isTaken(job, name) && columns.indexOf(name) !== at);
  if (twice !== undefined)
    throw fileError(file, `line ${line}: column ${twice} appears twice`, "Remove one of them.");
}
