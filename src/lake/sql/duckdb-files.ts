import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { InputError } from "../../domain/failures.js";
import { sqlList, sqlText, typedColumns } from "./duckdb-sql.js";

interface Column {
  readonly name: string;
  readonly type: string;
}

interface JsonForm {
  /** Otherwise values follow each other in any layout. */
  readonly lines: boolean;
  readonly columns: Readonly<Record<string, string>>;
  /** DuckDB allocates buffers of this size. */
  readonly maximumObjectSize: number;
}

/**
 * All SQL reads Parquet by this, so that no directory such as `date=2001-01-01` becomes a column. @param byName allows
 * files with different columns, each of which DuckDB opens first
 */
export function parquetFiles(paths: readonly string[], { byName = false } = {}): string {
  const union = byName ? ", union_by_name = true" : "";
  return `read_parquet(${sqlList(paths.map(exactPath))}, hive_partitioning = false${union})`;
}

/** The file's place in the list, and the row's number in it. */
type RowPlace = "file_index" | "file_row_number";

/** Rows of any number of files, which may lack columns (null), with their places. */
export function parquetRows(
  paths: readonly string[],
  columns: readonly Column[],
  ...places: readonly RowPlace[]
): string {
  const more = (of: (place: RowPlace) => string) => places.map((place) => `, ${of(place)}`).join("");
  const nowhere = more((place) => `null::bigint as ${place}`);
  const empty = `select ${typedColumns(columns, () => "null")}${nowhere} where false`;
  if (paths.length === 0) return `(${empty})`;
  const found = `select *${more((place) => `${place}::bigint as ${place}`)}`;
  return `(${found} from ${parquetFiles(paths, { byName: true })} union all by name ${empty})`;
}

/** Otherwise each of DuckDB's buffers is 32 MB. */
const CSV_LINE_BYTES = 1024 * 1024;

/** A CSV file's rows as texts. */
export function csvFile(path: string): string {
  return `read_csv(${sqlList([exactPath(path)])}, hive_partitioning = false, header = true, all_varchar = true,
    delim = ',', quote = '"', escape = '"', parallel = false,
    max_line_size = ${CSV_LINE_BYTES}, buffer_size = ${4 * CSV_LINE_BYTES})`;
}

export function jsonFile(path: string, { lines, columns, maximumObjectSize }: JsonForm): string {
  const types = Object.entries(columns).map(([name, type]) => `${sqlText(name)}: ${sqlText(type)}`);
  return `read_json(${sqlList([exactPath(path)])}, hive_partitioning = false,
    format = ${lines ? "'newline_delimited'" : "'unstructured'"}, records = true,
    columns = {${types.join(", ")}}, maximum_object_size = ${maximumObjectSize})`;
}

/** A file with a row of texts on each line. @param longest bytes of a line */
export function jsonRows(path: string, columns: readonly Column[], longest: number): string {
  const texts = jsonFile(path, {
    lines: true,
    columns: Object.fromEntries(columns.map(({ name }) => [name, "VARCHAR"])),
    maximumObjectSize: objectSize([longest]),
  });
  return `select ${typedColumns(columns)} from ${texts}`;
}

/** `maximum_object_size` for some objects: the size of DuckDB's buffers (docs/inside/rules.md, "Load"). */
export function objectSize(bytes: readonly number[]): number {
  return Math.max(1024 * 1024, ...bytes.map((size) => size + 1024));
}

/** The pattern that matches one path. @throws InputError for a path with a backslash */
export function exactPath(path: string): string {
  if (!/[*?[]/.test(path)) return path;
  if (path.includes("\\")) {
    throw new InputError(
      `${path} contains both a backslash and one of * ? [, and SQL can't name such a file. ` +
        "Give the lake, NIGHTLEDGER_HOME and NIGHTLEDGER_SCRATCH paths without one of them.",
    );
  }
  return path.replaceAll(/[*?[]/g, "[$&]");
}

const LINES_AT_ONCE = 1_000;

/** Returns the bytes of the longest line. */
export function writeJsonLines(path: string, values: Iterable<unknown>): Promise<number> {
  function* lines() {
    for (const value of values) yield jsonLine(value);
  }
  return writeLines(path, lines());
}

/** Returns the bytes of the longest line. */
export async function writeLines(path: string, lines: Iterable<string>): Promise<number> {
  let longest = 0;
  function* chunks() {
    let chunk: string[] = [];
    for (const line of lines) {
      longest = Math.max(longest, Buffer.byteLength(line));
      chunk.push(line);
      if (chunk.length < LINES_AT_ONCE) continue;
      yield chunk.join("");
      chunk = [];
    }
    yield chunk.join("");
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path, { mode: 0o600 }));
  return longest;
}

export function jsonLine(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return `${JSON.stringify(value, replacer)}\n`;
}

/** A replacer for JSON.stringify: DuckDB refuses half a surrogate pair. */
export function withoutHalfPairs(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(/\p{Surrogate}/gu, "\ufffd") : value;
}
