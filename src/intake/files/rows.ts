import { extname } from "node:path";
import { CsvError, type Parser, parse } from "csv-parse";
import { DEEPEST, formOf, withNumbersAsText } from "../../domain/json/text.js";
import { jsonObjectOf } from "../../domain/json/value.js";
import type { BrokenRule, RowProblem } from "../../domain/row-problem.js";
import { invisibleIn } from "../../domain/service/external-id.js";
import { fileError, type InputFile, LONGEST_ROW, MalformedFileError, startOf, textOf } from "./text.js";

/** Before its values are judged. */
export interface InputRow {
  /** In CSV all values are texts, a missing one is empty. */
  readonly form: "csv" | "jsonl";
  /** Where it starts, from 1. */
  readonly line: number;
  /** By column; empty where the row has problems. */
  readonly values: ReadonlyMap<string, unknown>;
  /** It has a number with more digits than JavaScript keeps. */
  readonly losesDigits: boolean;
  /** Of its form. */
  readonly problems: readonly RowProblem[];
}

/** Broken by {@link InputRow.losesDigits} where numbers count. */
export const LONG_NUMBER: BrokenRule = {
  code: "long_number",
  rule: "has a number of more than 15 digits: give it as text, or it changes",
};

const NOT_OBJECT: BrokenRule = { code: "not_object", rule: 'is not a JSON object such as {"fp_id":"…"}' };
const REPEATED_KEY: BrokenRule = {
  code: "repeated_key",
  rule: "names a key twice: only one of its values can count",
};
/** Deeper values would overflow the stack of a recursive walk. */
const TOO_DEEP: BrokenRule = {
  code: "too_deep",
  rule: `has more than ${DEEPEST} objects and lists within each other`,
};

/** @throws InputError to refuse the file */
type CheckHeader = (columns: readonly string[], line: number) => void;

/**
 * Reads CSV with a header, or JSONL, by the extension, else by the content.
 * @throws InputError where the file can't be read as a whole: it is not there, not UTF-8, not CSV.
 */
export async function* readRows(file: InputFile, checkHeader: CheckHeader): AsyncGenerator<InputRow> {
  if (await isJsonl(file)) for await (const line of jsonLines(file)) yield jsonRow(line);
  else yield* csvRows(file, checkHeader);
}

async function* csvRows(file: InputFile, checkHeader: CheckHeader): AsyncGenerator<InputRow> {
  let columns: readonly string[] | undefined;
  for await (const record of csvRecords(file)) {
    if (columns === undefined) {
      const invisible = invisibleIn(record.fields.join());
      if (invisible)
        throw fileError(file, `line ${record.line}: a column's name has ${invisible}`, "Type it again.");
      checkHeader(record.fields, record.line);
      columns = record.fields;
    } else yield csvRow(record, columns);
  }
}

function csvRow({ line, fields }: CsvRecord, columns: readonly string[]): InputRow {
  const isWhole = fields.length === columns.length;
  const values = new Map(isWhole ? columns.map((column, at) => [column, fields[at]]) : []);
  const rule = `has ${fields.length} columns, the header has ${columns.length}`;
  const problems = isWhole ? [] : [{ line, column: null, code: "column_count", rule }];
  return { form: "csv", line, values, losesDigits: false, problems };
}

function jsonRow({ line, text }: JsonLine): InputRow {
  const row = jsonObjectOf(text);
  const problem = row === undefined ? NOT_OBJECT : formProblem(text);
  return {
    form: "jsonl",
    line,
    values: new Map(Object.entries((problem === undefined && row) || {})),
    losesDigits: problem === undefined && hasLongDecimal(text),
    problems: problem === undefined ? [] : [{ line, column: null, ...problem }],
  };
}

function formProblem(text: string): BrokenRule | undefined {
  const { repeatsKey, depth } = formOf(text);
  if (repeatsKey) return REPEATED_KEY;
  return depth > DEEPEST ? TOO_DEEP : undefined;
}

async function isJsonl(file: InputFile): Promise<boolean> {
  const extension = extname(file.path).toLowerCase();
  if (extension === ".jsonl" || extension === ".ndjson") return true;
  return extension !== ".csv" && (await startOf(file)).trimStart().startsWith("{");
}

interface JsonLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Old programs end a file with Ctrl-Z. */
function isNone(text: string): boolean {
  return text === "" || text === "\x1a";
}

/** @throws InputError for a line that is too long */
async function* jsonLines(file: InputFile): AsyncGenerator<JsonLine> {
  let line = 0;
  let rest = "";
  for await (const piece of textOf(file)) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    for (const text of parts) {
      line += 1;
      if (!isNone(text.trim())) yield { line, text };
    }
    if (rest.length > LONGEST_ROW) {
      throw fileError(file, `line ${line + 1} is longer than 16 MB`, "Give one object a line.");
    }
  }
  if (!isNone(rest.trim())) yield { line: line + 1, text: rest };
}

/** Of a decimal outside of strings; integers are judged one by one. */
function hasLongDecimal(text: string): boolean {
  if (!/\d[\d.]{15}/.test(text)) return false;
  let isLong = false;
  withNumbersAsText(text, (number) => {
    const [, whole = "", decimals] = /^-?(\d+)\.(\d+)/.exec(number) ?? [];
    isLong ||= decimals !== undefined && `${whole}${decimals}`.replace(/^0+/, "").length > 15;
    return undefined;
  });
  return isLong;
}

const MALFORMED: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
  CSV_INVALID_CLOSING_QUOTE: "text follows a closing quote",
  INVALID_OPENING_QUOTE: "a quote is in the middle of a field; double it and put the field in quotes",
  CSV_MAX_RECORD_SIZE: "is longer than 16 MB; perhaps a quote is never closed",
};

interface CsvRecord {
  /** Where it starts, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * The header first; skips empty lines, and those of empty cells that spreadsheets add.
 * @throws MalformedFileError where it stops being CSV.
 */
async function* csvRecords(file: InputFile): AsyncGenerator<CsvRecord> {
  const records: CsvRecord[] = [];
  // csv-parse counts a CRLF inside quotes as two lines.
  let countedTwice = 0;
  const parser = parse({
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
    record_delimiter: ["\r\n", "\n", "\r"],
    on_record: (fields: string[], { lines }) => {
      let breaks = 0;
      for (const field of fields) {
        if (!field.includes("\n") && !field.includes("\r")) continue;
        countedTwice += field.match(/\r\n/g)?.length ?? 0;
        breaks += field.match(/\r\n|\n|\r/g)?.length ?? 0;
      }
      if (!fields.every(isNone)) records.push({ line: lines - countedTwice - breaks, fields });
      return null;
    },
  });
  let last = 0;
  // A failing stream drops what it holds. Records bypass it, so that those before the fault still come out.
  const taken = function* () {
    for (const record of records.splice(0)) {
      last = record.line;
      yield record;
    }
  };
  try {
    for await (const piece of textOf(file)) {
      const error = await write(parser, piece);
      yield* taken();
      if (error !== undefined) throw error;
    }
    const error = await write(parser, undefined);
    yield* taken();
    if (error !== undefined) throw error;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === "number" ? error.lines - countedTwice : last + 1;
    const rule = MALFORMED[error.code] ?? `is not CSV (${error.code})`;
    throw new MalformedFileError(file, line, rule);
  } finally {
    parser.destroy();
  }
}

/** Resolves with the error that stopped it; without a piece, ends. */
function write(parser: Parser, piece: string | undefined): Promise<Error | undefined> {
  return new Promise((resolve) => {
    parser.once("error", resolve);
    const done = (error: Error | null | undefined) => {
      if (error) return resolve(error);
      parser.off("error", resolve);
      resolve(undefined);
    };
    if (piece === undefined) parser.end(done);
    else parser.write(piece, done);
  });
}
