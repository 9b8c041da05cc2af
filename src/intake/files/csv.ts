import { CsvError, type Parser, parse } from "csv-parse";
import { type InputFile, LONGEST_ROW, MalformedFileError } from "./input-file.js";
import { textOf } from "./text.js";

const MALFORMED: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
  CSV_INVALID_CLOSING_QUOTE: "text follows a closing quote",
  INVALID_OPENING_QUOTE: "a quote is in the middle of a field; double it and put the field in quotes",
  CSV_MAX_RECORD_SIZE: "is longer than 16 MB; perhaps a quote is never closed",
};

export interface CsvRecord {
  /** Line at which it starts, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads the records of a CSV file, its header first; skips empty lines.
 *
 * @throws MalformedFileError where it stops being CSV.
 */
export async function* csvRecords(file: InputFile): AsyncGenerator<CsvRecord> {
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
      records.push({ line: lines - countedTwice - breaks, fields });
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

/** Parses a piece of text, or the rest at the end. Returns the error that stopped it. */
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
