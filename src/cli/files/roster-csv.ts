import { CsvError, parse } from "csv-parse/sync";
import { ignoredColumns, type RosterEntry, type RosterProblems, rosterError } from "./roster-problems.js";

const MALFORMED: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
  CSV_INVALID_CLOSING_QUOTE: "text follows a closing quote",
  INVALID_OPENING_QUOTE: "a quote stands in the middle of a field; double it and put the field in quotes",
};

interface CsvRecord {
  /** Line it starts at, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** Reads a CSV roster with a header row; other columns than `fp_id` and `external_id` are ignored and named. */
export function readCsvRoster(
  path: string,
  text: string,
  problems: RosterProblems,
  warnings: string[],
): RosterEntry[] {
  const [header, ...records] = parseRecords(text, problems);
  if (header === undefined) {
    problems.throwIfAny();
    throw rosterError(path, "has no header line", "Give a header with fp_id, and one line a user.");
  }
  const columns = columnsOf(path, header, warnings);
  return records.flatMap((record) => entryOf(record, header.fields.length, columns, problems));
}

interface RosterColumns {
  readonly fpId: number;
  readonly externalId: number;
}

function columnsOf(path: string, header: CsvRecord, warnings: string[]): RosterColumns {
  const names = header.fields;
  const fpId = names.indexOf("fp_id");
  if (fpId < 0) {
    // The line may be data, so it isn't quoted.
    const advice = "Give a header line with fp_id and optionally external_id, separated by commas.";
    throw rosterError(
      path,
      `line ${header.line}: no column fp_id among the ${names.length} of the header`,
      advice,
    );
  }
  for (const name of ["fp_id", "external_id"]) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      throw rosterError(path, `line ${header.line}: column ${name} stands there twice`, "Leave one of them.");
    }
  }
  const ignored = names.filter((name) => name !== "fp_id" && name !== "external_id");
  if (ignored.length > 0) warnings.push(ignoredColumns(path, ignored));
  return { fpId, externalId: names.indexOf("external_id") };
}

function entryOf(
  { line, fields }: CsvRecord,
  width: number,
  columns: RosterColumns,
  problems: RosterProblems,
): RosterEntry[] {
  if (fields.length !== width) {
    problems.add(line, undefined, `has ${fields.length} columns, the header has ${width}`);
    return [];
  }
  const fpId = fields[columns.fpId] ?? "";
  const externalId = columns.externalId < 0 ? "" : (fields[columns.externalId] ?? "");
  return [externalId === "" ? { line, fpId } : { line, fpId, externalId }];
}

function parseRecords(text: string, problems: RosterProblems): CsvRecord[] {
  const records: CsvRecord[] = [];
  // csv-parse counts a CRLF inside quotes as two lines.
  let countedTwice = 0;
  try {
    parse(text, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      on_record: (fields: string[], { lines }) => {
        const quoted = fields.filter((field) => /[\r\n]/.test(field)).join("");
        countedTwice += quoted.match(/\r\n/g)?.length ?? 0;
        const breaks = quoted.match(/\r\n|\n|\r/g)?.length ?? 0;
        records.push({ line: lines - countedTwice - breaks, fields });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === "number" ? error.lines - countedTwice : records.length + 1;
    problems.add(line, undefined, MALFORMED[error.code] ?? `is not CSV (${error.code})`);
  }
  return records;
}
