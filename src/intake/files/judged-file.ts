import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { codeOfIssue } from "../../api/file-fields.js";
import { isJsonObject } from "../../domain/json/value.js";
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
  /**
   * What its `catchall` takes, as columns `<group>.<name>`; left out: everything. JSONL may give a group as an object, too.
   * A column that is almost one of these is refused: to ignore it would lose data.
   */
  readonly groups?: readonly string[];
  /** Whether an invalid row comes with those of its values that are right. */
  readonly namesInvalid?: boolean;
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
  const columns = columnForms(rules);
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
      for await (const read of readRows(file, checkHeader)) {
        const given = ungrouped(rules, read);
        hasRow = true;
        for (const column of given.values.keys()) ignore(column);
        const judged = await withFiles(rules, file, judgeRow(rules, given), inspected);
        const readable = judged.row ?? readableRow(rules, given);
        changed.add(judged.line, readable);
        const doubt = judged.row && rules.doubt?.row?.(judged.row);
        if (doubt) doubts.add(doubt);
        // An invalid row's value counts too: once the row is right, it would be there twice.
        const unique = rules.unique?.(readable) ?? null;
        const first = unique === null ? undefined : firstLine.get(unique.value);
        if (unique !== null && first === undefined) firstLine.set(unique.value, judged.line);
        const row =
          unique === null || first === undefined
            ? judged
            : invalidRow(judged, [repeatedRow(judged.line, unique.column, first)]);
        yield row.row === null && rules.namesInvalid ? { ...row, readable } : row;
      }
      const problem = hasHeader ? `has a header and no ${noun}` : "is empty";
      const whole = rules.file.columns;
      const accepted = whole === undefined ? `Its columns: ${columns}.` : `Accepted: a ${whole}.`;
      if (!hasRow) throw fileError(file, problem, accepted);
    },
    warnings() {
      const ignoring =
        ignored.size === 0 ? [] : [`ignored ${quotedNames(ignored)}; its columns are ${columns}`];
      return [...ignoring, ...doubts, ...changed.warnings()].map((words) => `${file.name} ${path}: ${words}`);
    },
    bytes: ({ row }, column) => uploadedBytes(pathIn(file, row ?? {}, column)),
  };
}

/** Whether a row has this column: one that the rules name, or any where they take further ones. */
function isTaken({ row, groups }: FileRules, column: string): boolean {
  if (Object.hasOwn(row.shape, column)) return true;
  if (groups === undefined) return row.def.catchall !== undefined;
  return groups.some(
    (group) => column.startsWith(`${group}.`) && column.slice(group.length + 1).trim() !== "",
  );
}

function columnForms({ row, groups = [] }: FileRules): string {
  return [...Object.keys(row.shape), ...groups.map((group) => `${group}.<name>`)].join(", ");
}

/** How to write a column that is almost one of a file with groups. */
function mistakenColumn(rules: FileRules, column: string): string | undefined {
  const { row, groups } = rules;
  if (groups === undefined || isTaken(rules, column)) return undefined;
  const meant = column.trim().toLowerCase();
  if (Object.hasOwn(row.shape, meant)) return `write it as ${meant}`;
  const group = groups.find((name) => meant === name || meant.startsWith(`${name}.`));
  return group && `write it as ${group}.<name>, without spaces, in lower case before the dot`;
}

/** A row of JSONL with the members of its groups as columns. */
function ungrouped(rules: FileRules, given: InputRow): InputRow {
  const { groups } = rules;
  if (groups === undefined || given.form === "csv") return given;
  const { line } = given;
  const values = new Map<string, unknown>();
  const problems = [...given.problems];
  const put = (column: string, value: unknown) => {
    if (value === null) return;
    if (values.has(column)) problems.push({ line, column, code: "given_twice", rule: "is given twice" });
    values.set(column, value);
  };
  for (const [column, value] of given.values) {
    const rule = groups.includes(column) ? undefined : mistakenColumn(rules, column);
    if (rule !== undefined) problems.push({ line, column, code: "mistaken_column", rule });
    else if (!groups.includes(column)) put(column, value === "" && !column.includes(".") ? null : value);
    else if (isJsonObject(value))
      for (const [name, item] of Object.entries(value)) put(`${column}.${name}`, item);
    else if (value !== null) problems.push({ line, column, code: "not_object", rule: "is not an object" });
  }
  return { ...given, values, problems };
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

function checkColumns(rules: FileRules, file: InputFile, columns: readonly string[], line: number): void {
  const { shape } = rules.row;
  const required = Object.keys(shape).filter((name) => !shape[name].safeParse(undefined).success);
  const missing = required.find((name) => !columns.includes(name));
  if (missing !== undefined || !columns.some((name) => isTaken(rules, name) || mistakenColumn(rules, name))) {
    // The line may be data, so it isn't quoted.
    const problem = `line ${line}: none of the header's ${columns.length} columns is ${missing ?? "a known column"}`;
    const advice = `Give a header line with columns of these names, separated by commas: ${columnForms(rules)}.`;
    throw fileError(file, problem, advice);
  }
  for (const [at, name] of columns.entries()) {
    const rule = mistakenColumn(rules, name);
    if (rule !== undefined)
      throw fileError(file, `line ${line}: column ${JSON.stringify(name)}: ${rule}`, "Fix the header.");
    if (isTaken(rules, name) && columns.indexOf(name) !== at)
      throw fileError(file, `line ${line}: column ${name} appears twice`, "Remove one of them.");
  }
}

/** The first names of columns in quotes, and the number of the others. */
export function quotedNames(names: ReadonlySet<string>): string {
  const quoted = [...names].slice(0, MOST_SHOWN).map((name) => JSON.stringify(name));
  const more = names.size - quoted.length;
  return `${quoted.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
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
