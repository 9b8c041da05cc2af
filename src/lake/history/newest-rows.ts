import { newestPlaces, PLACE, placedRows } from "../materialize/derived-table.js";
import { andInPart, type RowPart } from "../materialize/row-parts.js";
import { columnNames, sqlNames } from "../sql/duckdb-sql.js";
import type { HistoryFiles } from "./history-files.js";
import { currentOf, derivedOf, type HistorySpec, markOf, sameIn } from "./history-spec.js";

/** The local files that hold the newest rows: those of the small table, and those that brought rows after it. */
export type NewestFiles = Pick<HistoryFiles, "current" | "since">;

/** Which keys to read: those whose hash is in a part. */
export type KeyPart = Omit<RowPart, "rows">;

/** Which keys to read: all, or those of a part; with `ownersIn` only those of the owners in a table with their columns. */
interface Selection extends Partial<KeyPart> {
  readonly ownersIn?: string;
}

/**
 * SQL of the newest row of each key, gone keys included, with all columns of the history. Rows that came since win over
 * the small table. The query compares keys and times first, and then reads only the wide rows that count.
 */
export function newestRows(spec: HistorySpec, files: NewestFiles, selection: Selection = {}): string {
  const every = columnNames(spec.columns);
  const only = restriction(spec, selection);
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

function restriction({ owner, key }: HistorySpec, { ownersIn, part = 0, parts = 1 }: Selection): string {
  const owners = ownersIn && `semi join ${ownersIn} using (${sqlNames(owner)})`;
  return `${owners ?? ""} where true${andInPart({ part, parts }, sqlNames(key))}`;
}
