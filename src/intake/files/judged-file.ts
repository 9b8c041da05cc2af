import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { codeOfIssue } from "../../api/file-fields.js";
import {
  invalidRow,
  type JudgedRow,
  type RowProblem,
  repeatedRow,
  type UniqueValue,
} from "../../domain/row-problem.js";
import { counted } from "../../domain/words/counted.js";
import { ChangedIds } from "./changed-ids.js";
import { type InputRow, LONG_NUMBER, readRows } from "./rows.js";
import { fileError, type InputFile } from "./text.js";
import { type InspectedFiles, inspectFiles, uploadedBytes } from "./uploaded-file.js";

interface FileRules {
  readonly file: Omit<InputFile, "path"> & {
    /** What the kind says of its columns, as `--help` shows it; left out: their names are listed. */
    readonly columns?: string;
    /** What its rows are; users, where left out. */
    readonly rows?: string;
  };
  /** A row. Its fields are the file's columns; others are ignored, or judged by its `catchall`. */
  readonly row: z.ZodObject;
  /** The columns of a row that name files. */
  files?(row: object): readonly string[];
  /** The value that may appear only once; an invalid row comes with those of its values that are right. */
  unique?(row: object): UniqueValue | null;
  /** What to warn of in a valid row. */
  readonly doubt?: { row?(row: object): string | undefined };
}

/** An input file that is judged row by row, as often as it is read. Memory does not hold its rows. */
export interface JudgedFile {
  /**
   * The rows in the file's order; invalid ones are no error.
   *
   * @throws InputError where the file can't be read as a whole: not there, not UTF-8, not CSV, a column missing, no row.
   */
  rows(): AsyncGenerator<JudgedRow>;
  /** Warnings of what was ignored and of what is doubtful, once the rows were read. */
  warnings(): readonly string[];
  /** Opens a file that a row names. */
  bytes(row: JudgedRow, column: string): AsyncIterable<Uint8Array>;
}

/** Judges an input file by rules: CSV or JSONL by its extension, else by its content. */
export function judgedFile(rules: FileRules, path: string): JudgedFile {
  const { rows: noun = "users" } = rules.file;
  const file: InputFile = { path, ...rules.file };
  const columns = Object.keys(rules.row.shape).join(", ");
  const ignored = new Set<string>();
  const doubts = new Set<string>();
  const inspected: InspectedFiles = new Map();
  let changed = new ChangedIds();
  return {
    async *rows() {
      const firstLine = new Map<string, number>();
      changed = new ChangedIds();
      let hasHeader = false;
      let hasRow = false;
      const ignore = (column: string) => {
        if (!isTaken(rules, column)) ignored.add(column);
      };
      const checkHeader = (names: readonly string[], line: number) => {
        hasHeader = true;
        names.forEach(ignore);
        checkColumns(rules, file, names, line);
      };
      for await (const given of readRows(file, checkHeader)) {
        hasRow = true;
        for (const column of given.values.keys()) ignore(column);
        const judged = await withFiles(rules, file, judgeRow(rules, given), inspected);
        changed.add(judged.line, judged.row ?? {});
        const doubt = judged.row && rules.doubt?.row?.(judged.row);
        if (doubt) doubts.add(doubt);
        // An invalid row's value counts too: once the row is right, it would be there twice.
        const unique = rules.unique?.(judged.row ?? readableRow(rules, given)) ?? null;
        const first = unique === null ? undefined : firstLine.get(unique.value);
        if (unique === null || first === undefined) {
          if (unique !== null) firstLine.set(unique.value, judged.line);
          yield judged;
        } else yield invalidRow(judged, [repeatedRow(judged.line, unique.column, first)]);
      }
      const problem = hasHeader ? `has a header and no ${noun}` : "is empty";
      const whole = rules.file.columns;
      const accepted = whole === undefined ? `Its columns: ${columns}.` : `Accepted: a ${whole}.`;
      if (!hasRow) throw fileError(file, problem, accepted);
    },
    warnings() {
      const list = [...ignored].map((name) => JSON.stringify(name)).join(", ");
      const ignoring = list === "" ? [] : [`ignored ${list}; its columns are ${columns}`];
      return [...ignoring, ...doubts, ...changed.warnings()].map((words) => `${file.name} ${path}: ${words}`);
    },
    bytes: ({ row }, column) => uploadedBytes(pathIn(file, row ?? {}, column)),
  };
}

/** Whether a row has this column: one that the rules name, or any where they take further ones. */
function isTaken({ row }: FileRules, column: string): boolean {
  return Object.hasOwn(row.shape, column) || row.def.catchall !== undefined;
}

function judgeRow(rules: FileRules, given: InputRow): JudgedRow {
  const { line, values, problems, losesDigits } = given;
  const cells = cellsOf(rules, given);
  const said = values.get(Object.keys(rules.row.shape)[0] ?? "");
  const owner = typeof said === "string" ? { owner: said } : {};
  const isInexact = losesDigits && cells.some(([, value]) => typeof value !== "string");
  const wrong = isInexact ? [...problems, { line, column: null, ...LONG_NUMBER }] : problems;
  if (wrong.length > 0) return { line, row: null, problems: wrong, ...owner };
  const row = Object.fromEntries(cells);
  const parsed = rules.row.safeParse(row);
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

/** The cells of a row that are not empty: those of the columns that the rules name, then further ones that they take. */
function cellsOf(rules: FileRules, { form, values }: InputRow): [string, unknown][] {
  const known = Object.keys(rules.row.shape);
  const further = [...values.keys()].filter((column) => !known.includes(column) && isTaken(rules, column));
  return [...known, ...further].flatMap((column) => {
    const value = values.get(column);
    const isEmpty = value === null || value === undefined || (value === "" && form === "csv");
    return isEmpty ? [] : [[column, value]];
  });
}

/** The values of an invalid row that are right by themselves. */
function readableRow(rules: FileRules, given: InputRow): object {
  const cells = cellsOf(rules, given).flatMap(([column, value]) => {
    const parsed = rules.row.shape[column]?.safeParse(value);
    return parsed?.success ? [[column, parsed.data] as const] : [];
  });
  return Object.fromEntries(cells);
}

/** Adds to a valid row the files that it names, or what is wrong with them. */
async function withFiles(
  rules: FileRules,
  file: InputFile,
  judged: JudgedRow,
  inspected: InspectedFiles,
): Promise<JudgedRow> {
  const { line, row } = judged;
  const columns = row === null ? [] : (rules.files?.(row) ?? []);
  if (row === null || columns.length === 0) return judged;
  const paths = new Map(columns.map((column) => [column, pathIn(file, row, column)]));
  const { found, problems } = await inspectFiles(line, paths, inspected);
  return problems.length > 0 ? invalidRow(judged, problems) : { ...judged, files: Object.fromEntries(found) };
}

function pathIn({ path }: InputFile, row: object, column: string): string {
  return resolve(dirname(path), String((row as Readonly<Record<string, unknown>>)[column]));
}

function checkColumns({ row }: FileRules, file: InputFile, columns: readonly string[], line: number): void {
  const known = Object.keys(row.shape);
  const missing = known.find(
    (name) => !columns.includes(name) && !row.shape[name].safeParse(undefined).success,
  );
  if (missing !== undefined) {
    // The line may be data, so it isn't quoted.
    const problem = `line ${line}: none of the header's ${columns.length} columns is ${missing}`;
    const advice = `Give a header line with columns of these names, separated by commas: ${known.join(", ")}.`;
    throw fileError(file, problem, advice);
  }
  const twice = columns.find(
    (name, at) => isTaken({ row } as FileRules, name) && columns.indexOf(name) !== at,
  );
  if (twice !== undefined)
    throw fileError(file, `line ${line}: column ${twice} appears twice`, "Remove one of them.");
}

/** Problems that a message shows; a reader of a long file need not keep more. */
export const MOST_SHOWN = 20;

export type ToldProblem = Omit<RowProblem, "code">;

/** The first 20 problems as indented lines of a message, and the number of the others of `count`. */
export function problemList(problems: readonly ToldProblem[], count = problems.length): string {
  const shown = problemLines(problems.slice(0, MOST_SHOWN));
  const more = count - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `\n  ${line}`).join("");
}

/** How many problems there are, and what {@link problemList} shows of them. */
export function countedProblems(problems: readonly ToldProblem[], count = problems.length): string {
  return `${counted(count, "problem")}:${problemList(problems, count)}`;
}

export function problemLines(problems: readonly ToldProblem[]): string[] {
  return problems.map(
    ({ line, column, rule }) => `line ${line}${column === null ? "" : `, column ${column}`}: ${rule}`,
  );
}
