import { statsText } from "../delta-stats.js";
import type { SqlSession } from "../duckdb-session.js";
import type { SqlValue } from "../duckdb-values.js";

/**
 * Row groups sized to the files: DuckDB makes buffers for the rows that a group may have, and there is one
 * for each file being written. 20,480 takes twice as long here.
 */
const FILE_OPTIONS = "format parquet, compression zstd, compression_level 1, row_group_size 8192";

/** A bound of so many bytes may be the beginning of a longer one: rows beyond it would be skipped. */
const CUT_BYTES = 256;

/** A Parquet file in scratch, with what the log will say of it. */
export interface WrittenFile {
  readonly path: string;
  readonly rows: number;
  readonly stats: string;
}

/**
 * Writes a query's rows as files of `transactions`: one file where `target` is a path, a directory of them with
 * `options` that cut. The statistics are those that the writer kept, so that no file is read back; files
 * without rows are left out.
 */
export async function writeFiles(
  sql: SqlSession,
  query: string,
  target: string,
  options = "",
): Promise<WrittenFile[]> {
  const written = await sql.rows(
    `copy (${query}) to ${target} (${FILE_OPTIONS}, return_stats true${options})`,
  );
  return written
    .filter(({ count }) => Number(count) > 0)
    .map(({ filename, count, column_statistics }) => {
      const columns = column_statistics as Readonly<Record<string, SqlValue>>;
      const rows = Number(count);
      const stats = statsText(rows, {
        link_id: boundsOf(columns['"link_id"'], String),
        date: boundsOf(columns['"date"'], String),
        sequence: boundsOf(columns['"sequence"'], BigInt),
      });
      return { path: String(filename), rows, stats };
    });
}

/** The writer keeps no bounds where all is null, and cuts a text's to size: then the log says none either. */
function boundsOf<T extends string | bigint>(column: SqlValue | undefined, typed: (text: string) => T) {
  const { min, max, null_count } = column as Readonly<Record<string, string | undefined>>;
  const bound = (text: string | undefined) =>
    text === undefined || Buffer.byteLength(text) >= CUT_BYTES ? null : typed(text);
  return { min: bound(min), max: bound(max), nullCount: Number(null_count) };
}
