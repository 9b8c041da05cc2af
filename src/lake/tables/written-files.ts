import { type ColumnStats, type StatsColumn, statsText } from "../delta/delta-stats.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import type { SqlValue } from "../sql/duckdb-values.js";

/** The quickest level: higher ones cost a tenth of a load and save a few percent (docs/inside/performance.md). */
const FILE_OPTIONS = "format parquet, compression zstd, compression_level 1, return_stats true";

/** A bound of so many bytes may be the beginning of a longer one: rows beyond it would be skipped. */
const CUT_BYTES = 256;

/** How a query's rows are cut into files. */
interface FileForm {
  /** DuckDB makes buffers for the rows that a group may have, for each file that is being written. */
  readonly rowGroupSize: number;
  /** Further options of COPY: what cuts a directory of files. */
  readonly cut?: string;
}

/**
 * Row groups of whole files that are read and written one at a time: bounded memory
 * (docs/inside/architecture.md, "Load").
 */
export const APPENDED_FILE: FileForm = { rowGroupSize: 20_480 };
/**
 * Those of `transactions`: a row group is what a night writes again for a changed row in it
 * (docs/inside/architecture.md, "Materialize"). Without Bloom filters, which a row group can't take with it.
 */
export const CURRENT_FILE: FileForm = { rowGroupSize: 4_096, cut: ", write_bloom_filter false" };

/** A Parquet file in scratch, with what the log will say of it. */
export interface WrittenFile {
  readonly path: string;
  readonly rows: number;
  readonly stats: string;
}

/**
 * Writes a query's rows as files of a table: one file where `target` is a path, a directory of them with options
 * that cut. The statistics are those that the writer kept, so that no file is read back; files without rows are
 * left out.
 */
export async function writeFiles(
  sql: SqlSession,
  query: string,
  target: string,
  { rowGroupSize, cut = "" }: FileForm,
): Promise<WrittenFile[]> {
  const written = await sql.few(
    `copy (${query}) to ${target} (${FILE_OPTIONS}, row_group_size ${rowGroupSize}${cut})`,
  );
  return written
    .filter(({ count }) => Number(count) > 0)
    .map(({ filename, count, column_statistics }) => {
      const columns = column_statistics as Readonly<Record<string, SqlValue>>;
      const rows = Number(count);
      const bounds = STATS_COLUMNS.flatMap(([name, typed]) => {
        const column = columns[`"${name}"`];
        return column === undefined ? [] : [[name, boundsOf(column, typed)] as const];
      });
      return { path: String(filename), rows, stats: statsText(rows, Object.fromEntries(bounds)) };
    });
}

const STATS_COLUMNS: readonly (readonly [StatsColumn, (text: string) => string | bigint])[] = [
  ["link_id", String],
  ["date", String],
  ["sequence", BigInt],
];

/** The writer keeps no bounds where all is null, and cuts a text's to size: then the log says none either. */
function boundsOf(column: SqlValue, typed: (text: string) => string | bigint): ColumnStats {
  const { min, max, null_count } = column as Readonly<Record<string, string | undefined>>;
  const bound = (text: string | undefined) =>
    text === undefined || Buffer.byteLength(text) >= CUT_BYTES ? null : typed(text);
  return { min: bound(min), max: bound(max), nullCount: Number(null_count) };
}
