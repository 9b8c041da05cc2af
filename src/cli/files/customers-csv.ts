import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import {
  COLUMN_FORMS,
  type CustomerColumn,
  customerColumn,
} from "../../domain/onboarding/customer-column.js";
import type { GivenCustomer } from "../../domain/onboarding/customer-rules.js";
import { customersError, customersText, LONGEST_ROW } from "./customers-text.js";

const MALFORMED: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
  CSV_INVALID_CLOSING_QUOTE: "text follows a closing quote",
  INVALID_OPENING_QUOTE: "a quote stands in the middle of a field; double it and put the field in quotes",
  CSV_MAX_RECORD_SIZE: "is longer than 16 MB; perhaps a quote is never closed",
};

interface CsvRecord {
  /** Line it starts at, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * The rows of a CSV file with a header; a cell is text, an empty one is left out.
 *
 * @throws InputError for a file that is no CSV, or whose header holds a mistaken column.
 */
export async function* readCsvCustomers(path: string, ignored: Set<string>): AsyncGenerator<GivenCustomer> {
  let columns: readonly CustomerColumn[] | undefined;
  for await (const record of records(path)) {
    if (columns === undefined) columns = columnsOf(path, record, ignored);
    else yield givenOf(record, columns);
  }
}

function columnsOf(path: string, { line, fields }: CsvRecord, ignored: Set<string>): CustomerColumn[] {
  const columns = fields.map(customerColumn);
  const advice = `Give a header line with columns of these forms, separated by commas: ${COLUMN_FORMS}.`;
  if (columns.every(({ use }) => use === "none")) {
    // The line may be data, so it isn't quoted.
    throw customersError(path, `line ${line}: none of the ${fields.length} columns is one of ours`, advice);
  }
  for (const [at, column] of columns.entries()) {
    const name = fields[at] ?? "";
    const about = `line ${line}: column ${JSON.stringify(name)}`;
    if (column.use === "mistaken") throw customersError(path, `${about}: ${column.rule}`, "Mend the header.");
    if (column.use === "none") ignored.add(name);
    else if (fields.indexOf(name) !== at)
      throw customersError(path, `${about} stands there twice`, "Leave one.");
  }
  return columns;
}

function givenOf({ line, fields }: CsvRecord, columns: readonly CustomerColumn[]): GivenCustomer {
  const names: Record<string, string> = {};
  const groups = {
    data: new Map<string, string>(),
    vault: new Map<string, string>(),
    document: new Map<string, string>(),
  };
  const isWhole = fields.length === columns.length;
  for (let at = 0; isWhole && at < columns.length; at += 1) {
    const column = columns[at];
    const value = fields[at];
    if (value === undefined || value === "") continue;
    if (column?.use === "name") names[column.name] = value;
    else if (column?.use === "group") groups[column.group].set(column.name, value);
  }
  const rule = `has ${fields.length} columns, the header has ${columns.length}`;
  return { line, names, ...groups, problems: isWhole ? [] : [{ line, column: null, rule }] };
}

async function* records(path: string): AsyncGenerator<CsvRecord> {
  // csv-parse counts a CRLF inside quotes as two lines.
  let countedTwice = 0;
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
    record_delimiter: ["\r\n", "\n", "\r"],
  });
  const source = Readable.from(customersText(path));
  source.once("error", (error) => parser.destroy(error));
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<ParsedRecord>) {
      let breaks = 0;
      for (const field of record) {
        if (!field.includes("\n") && !field.includes("\r")) continue;
        countedTwice += field.match(/\r\n/g)?.length ?? 0;
        breaks += field.match(/\r\n|\n|\r/g)?.length ?? 0;
      }
      yield { line: info.lines - countedTwice - breaks, fields: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const place = typeof error.lines === "number" ? `line ${error.lines - countedTwice}` : "somewhere";
    const problem = MALFORMED[error.code] ?? `is not CSV (${error.code})`;
    throw customersError(path, `${place}: ${problem}`, "Mend the file and run the command again.");
  } finally {
    source.destroy();
    parser.destroy();
  }
}
