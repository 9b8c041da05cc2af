import { newestPlaces, PLACE, placedRows } from "../materialize/derived-table.js";
import { columnNames, sqlNames } from "../sql/duckdb-sql.js";
import type { HistoryFiles } from "./history-files.js";
import { currentOf, derivedOf, type HistorySpec, markOf, sameIn } from "./history-spec.js";

/**
 * The newest row of each key, gone keys included. Newer rows win over the derived table. Compares keys and times first,
 * then reads only the wide rows that count.
 * @param owners a table: only of owners in it
 */
export function newestRows(
  spec: HistorySpec,
  files: Pick<HistoryFiles, "current" | "since">,
  owners?: string,
): string {
  const every = columnNames(spec.columns);
  const only = owners === undefined ? "" : `semi join ${owners} using (${sqlNames(spec.owner)})`;
  const current = `select ${every} from (
    select *, ${markOf(spec, "updated")} as ${spec.mark} from ${placedRows(currentOf(spec), files.current)} ${only}) c`;
  if (files.since.length === 0) return current;
  const newest = `
    with since as not materialized (
      select * from ${placedRows(spec, files.since)} ${only}
    ), newest as materialized (
      ${newestPlaces(derivedOf(spec), "since")}
    )
    select ${every} from since semi join newest on ${PLACE} = place`;
  if (files.current.length === 0) return newest;
  return `${newest} union all ${current} anti join newest on ${sameIn(spec.key, "c", "newest")}`;
}
