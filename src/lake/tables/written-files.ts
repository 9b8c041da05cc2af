import { type ColumnStats, type StatsColumn, statsText } from "../delta/delta-stats.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import type { SqlValue } from "../sql/duckdb-values.js";

/** The fastest level: higher ones cost a tenth of a load and save a few percent (docs/inside/performance.md). */
const FILE_OPTIONS = "format parquet, compression zstd, compression_level 1, return_stats true";

/** A bound of this many bytes may be the beginning of a longer value, and readers would skip rows beyond it. */
export const CUT_BYTES = 256;

interface FileForm {
  /** For each file that it writes, DuckDB allocates buffers for a whole row group. */
  readonly rowGroupSize: number;
  /** Further options of COPY, such as those that split the rows into a directory of files. */
  readonly cut?: string;
}

/** Appended files: written one at a time, in bounded memory (docs/inside/rules.md, "Load"). */
export const APPENDED_FILE: FileForm = { rowGroupSize: 20_480 };
/**
 * Files of `transactions`: a changed row costs writing its row group again (docs/inside/rules.md, "Materialize").
 * They have no Bloom filters, because a row group that is copied to another file can't take its filter along.
 */
export const CURRENT_FILE: FileForm = { rowGroupSize: 4_096, cut: ", write_bloom_filter false" };

/** A Parquet file in scratch, with what the log will say about it. */
export interface WrittenFile {
  readonly path: string;
  readonly rows: number;
  readonly stats: string;
}

/**
 * Writes a query's rows as files of a table: one file at the path `target`, or a directory of files if the options split
 * the rows. The statistics are the writer's, so no file is read back. Files without rows are left out.
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

/** Reads the writer's bounds: none where every value is null, or where the writer may have cut a text. */
function boundsOf(column: SqlValue, typed: (text: string) => string | bigint): ColumnStats {
  const { min, max, null_count } = column as Readonly<Record<string, string | undefined>>;
  const bound = (text: string | undefined) =>
    text === undefined || Buffer.byteLength(text) >= CUT_BYTES ? null : typed(text);
  return { min: bound(min), max: bound(max), nullCount: Number(null_count) };
}
