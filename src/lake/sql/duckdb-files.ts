import { InputError } from "../../domain/failures.js";
import { sqlList, sqlText } from "./duckdb-sql.js";

/** How a JSON file is cut into rows, and what is read of each. */
interface JsonForm {
  /** Whether a line is a row; otherwise values follow each other as they like. */
  readonly lines: boolean;
  /** The SQL type of each column. */
  readonly columns: Readonly<Record<string, string>>;
  /** DuckDB takes buffers of this size: no larger than the largest object needs. */
  readonly maximumObjectSize: number;
}

/**
 * The rows of exactly these Parquet files. Every Parquet file that SQL reads is named here: DuckDB would make
 * columns of directories such as `date=2001-01-01` above a file, in place of the file's own.
 *
 * @param byName lets files have different columns; each file is opened before the first is read
 */
export function parquetFiles(paths: readonly string[], { byName = false } = {}): string {
  const union = byName ? ", union_by_name = true" : "";
  return `read_parquet(${sqlList(paths.map(exactPath))}, hive_partitioning = false${union})`;
}

/** The longest line of a CSV file; DuckDB's buffers follow from it and would be 32 MB each. */
const CSV_LINE_BYTES = 1024 * 1024;

/** The rows of exactly this CSV file as texts, by the names in its first line; every CSV file that SQL reads is named here. */
export function csvFile(path: string): string {
  return `read_csv(${sqlList([exactPath(path)])}, hive_partitioning = false, header = true, all_varchar = true,
    delim = ',', quote = '"', escape = '"', parallel = false,
    max_line_size = ${CSV_LINE_BYTES}, buffer_size = ${4 * CSV_LINE_BYTES})`;
}

/** The rows of exactly this JSON file; every JSON file that SQL reads is named here. */
export function jsonFile(path: string, { lines, columns, maximumObjectSize }: JsonForm): string {
  const types = Object.entries(columns).map(([name, type]) => `${sqlText(name)}: ${sqlText(type)}`);
  return `read_json(${sqlList([exactPath(path)])}, hive_partitioning = false,
    format = ${lines ? "'newline_delimited'" : "'unstructured'"}, records = true,
    columns = {${types.join(", ")}}, maximum_object_size = ${maximumObjectSize})`;
}

/**
 * A path as DuckDB's pattern that matches it alone.
 *
 * @throws InputError where there is none: DuckDB takes a backslash in a pattern for a separator.
 */
export function exactPath(path: string): string {
  if (!/[*?[]/.test(path)) return path;
  if (path.includes("\\")) {
    throw new InputError(
      `${path} has both a backslash and one of * ? [ in it, and SQL can't name such a file. ` +
        "Give the lake a path without one of them.",
    );
  }
  return path.replaceAll(/[*?[]/g, "[$&]");
}
