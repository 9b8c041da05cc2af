import { localFiles } from "../../delta/data-files.js";
import type { AddFile } from "../../delta/delta-actions.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import { type FileFacts, factsOf, holdsLinks } from "../../delta/delta-stats.js";
import type { LakeReader } from "../../query/query-views.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import type { SqlRow } from "../../sql/duckdb-session.js";

/** A row of a table, and the file that holds it. */
export interface FoundRow {
  readonly row: SqlRow;
  readonly file: AddFile;
}

/** Narrows a search by what files say about themselves. */
interface Within {
  readonly link?: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly date?: string | null;
}

/** Finds rows of a table, with every column of its list; a missing table has none. */
export async function foundRows(
  { store, duckdb, table }: LakeReader,
  spec: TableSpec,
  condition: string,
  within: Within = {},
): Promise<FoundRow[]> {
  const { files } = await table(spec.name).snapshot();
  const kept = [...files.values()].filter((file) => mayHold(factsOf(file), within));
  if (kept.length === 0) return [];
  const paths = await localFiles({ store, duckdb, table: spec.name }, kept);
  const rows = await duckdb.exclusive((sql) =>
    sql.rows(
      `from ${parquetRows(paths, spec.columns, ", file_index::double as file_index")} where ${condition}`,
    ),
  );
  return rows.map(({ file_index, ...row }) => ({ row, file: kept[Number(file_index)] as AddFile }));
}

function mayHold(facts: FileFacts, { link, date }: Within): boolean {
  const { firstDay, lastDay } = facts;
  if (link !== undefined && !holdsLinks(link, link)(facts)) return false;
  if (typeof date !== "string" || firstDay === undefined || lastDay === undefined) return true;
  return firstDay <= date && date <= lastDay;
}
