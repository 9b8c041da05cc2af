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
    /** As `--help` shows them. */
    readonly columns?: string;
    /** Default: users. */
    readonly rows?: string;
  };
  /** Its fields are the file's columns; others are ignored, or judged by its `catchall`. */
  readonly row: z.ZodObject;
  /**
   * What its `catchall` takes, as columns `<group>.<name>`; in JSONL also as objects. A column that is almost one of
   * these is refused: to ignore it would lose data. Default: everything.
   */
  readonly groups?: readonly string[];
  /** Whether an invalid row comes with its values that are right. */
  readonly namesInvalid?: boolean;
  /** Columns that name files. */
  files?(row: object): readonly string[];
  /** May appear once; an invalid row comes with its values that are right. */
  unique?(row: object): UniqueValue | null;
  /** A warning, though no rule is broken. */
  readonly doubt?: { row?(row: object): string | undefined };
}

/** Judged row by row, each time it is read: memory does not hold its rows. */
export interface JudgedFile {
  /**
   * In the file's order; invalid rows are no error.
   * @throws InputError where the file can't be read as a whole: not there, not UTF-8, not CSV, a wrong header, no row.
   */
  rows(): AsyncGenerator<JudgedRow>;
  /** Once the rows were read. */
  warnings(): readonly string[];
  bytes(row: JudgedRow, column: string): AsyncIterable<Uint8Array>;
}

/** Judges CSV or JSONL, by the extension, else by the content. */
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

/** How to write a column that is almost right, in a file with groups. */
function mistakenColumn(rules: FileRules, column: string): string | undefined {
  const { row, groups } = rules;
  if (groups === undefined || isTaken(rules, column)) return undefined;
  const meant = column.trim().toLowerCase();
  if (Object.hasOwn(row.shape, meant)) return `write it as ${meant}`;
  const group = groups.find((name) => meant === name || meant.startsWith(`${name}.`));
  return group && `write it as ${group}.<name>, without spaces, in lower case before the dot`;
}

/** Makes columns of the groups of a JSONL row. An empty id is none, as in CSV. */
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

/** Without empty ones; those that the rules name first. */
function cellsOf(rules: FileRules, { form, values }: InputRow): [string, unknown][] {
  const known = Object.keys(rules.row.shape);
  const further = [...values.keys()].filter((column) => !known.includes(column) && isTaken(rules, column));
  return [...known, ...further].flatMap((column) => {
    const value = values.get(column);
    const isEmpty = value === null || value === undefined || (value === "" && form === "csv");
    return isEmpty ? [] : [[column, value]];
  });
}

function readableRow(rules: FileRules, given: InputRow): object {
  const cells = cellsOf(rules, given).flatMap(([column, value]) => {
    const parsed = rules.row.shape[column]?.safeParse(value);
    return parsed?.success ? [[column, parsed.data] as const] : [];
  });
  return Object.fromEntries(cells);
}

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

export function quotedNames(names: ReadonlySet<string>): string {
  const quoted = [...names].slice(0, MOST_SHOWN).map((name) => JSON.stringify(name));
  const more = names.size - quoted.length;
  return `${quoted.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** In a message. */
export const MOST_SHOWN = 20;

export type ToldProblem = Omit<RowProblem, "code">;

/** Of `count` problems, each in a line of its own. */
export function problemList(problems: readonly ToldProblem[], count = problems.length): string {
  const shown = problemLines(problems.slice(0, MOST_SHOWN));
  const more = count - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `\n  ${line}`).join("");
}

export function countedProblems(problems: readonly ToldProblem[], count = problems.length): string {
  return `${counted(count, "problem")}:${problemList(problems, count)}`;
}

export function problemLines(problems: readonly ToldProblem[]): string[] {
  return problems.map(
    ({ line, column, rule }) => `line ${line}${column === null ? "" : `, column ${column}`}: ${rule}`,
  );
}
