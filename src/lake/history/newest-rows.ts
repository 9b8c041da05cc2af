import type { Column } from "../delta/delta-schema.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import { sqlName } from "../sql/duckdb-sql.js";
import type { HistoryFiles } from "./history-files.js";
import { currentOf, GONE, type HistorySpec, OBSERVED_AT, sameIn } from "./history-spec.js";

/** Only rows of owners in a table with the owner's columns. */
interface Asked {
  readonly ownersIn: string;
}

/**
 * SQL of the newest row of each key, those that are gone included: all columns of the history. What came since wins
 * over the small table. Keys and times are compared first, and wide rows read afterwards: only those that count.
 */
export function newestRows(spec: HistorySpec, files: HistoryFiles, asked?: Asked): string {
  const every = names(spec.columns);
  const key = spec.key.map(sqlName).join(", ");
  const only =
    asked === undefined ? "" : `semi join ${asked.ownersIn} using (${spec.owner.map(sqlName).join(", ")})`;
  const current = `select ${every} from (
    select *, null::boolean as ${GONE} from ${filesOf(currentOf(spec).columns, files.current)} ${only}) c`;
  if (files.since.length === 0) return current;
  const newest = `
    with since as not materialized (
      select * from ${filesOf(spec.columns, files.since)} ${only}
    ), newest as materialized (
      select ${key}, max({'at': ${OBSERVED_AT}, 'file': file_index, 'row': file_row_number}) as place
      from since group by ${key}
    )
    select ${every} from since semi join newest
      on since.file_index = newest.place."file" and since.file_row_number = newest.place."row"`;
  if (files.current.length === 0) return newest;
  return `${newest} union all ${current} anti join newest on ${sameIn(spec.key, "c", "newest")}`;
}

/** The rows of files, each with its place; a column that files lack is null there. */
function filesOf(columns: readonly Column[], files: readonly string[]): string {
  const empty = columns.map(({ name, type }) => `null::${type} as ${sqlName(name)}`).join(", ");
  if (files.length === 0) return `(select ${empty} where false)`;
  return `(select *, file_index, file_row_number from ${parquetFiles(files, { byName: true })}
    union all by name select ${empty} where false)`;
}

function names(columns: readonly Column[]): string {
  return columns.map(({ name }) => sqlName(name)).join(", ");
}
