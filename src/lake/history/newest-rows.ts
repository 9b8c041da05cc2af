import { newestPlaces, PLACE, placedRows } from "../materialize/derived-table.js";
import { andInPart, type RowPart } from "../materialize/row-parts.js";
import { columnNames, sqlNames } from "../sql/duckdb-sql.js";
import type { HistoryFiles } from "./history-files.js";
import { currentOf, derivedOf, type HistorySpec, markOf, sameIn } from "./history-spec.js";

export type NewestFiles = Pick<HistoryFiles, "current" | "since">;

/** Keys whose hash is in a part. */
export type KeyPart = Omit<RowPart, "rows">;

/** All keys or a part; `ownersIn`: only of owners in that table. */
interface Selection extends Partial<KeyPart> {
  readonly ownersIn?: string;
}

/**
 * The newest row of each key, gone keys included. Newer rows win over the derived table. Compares keys and times first,
 * then reads only the wide rows that count.
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
