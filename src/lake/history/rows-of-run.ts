import { localFiles } from "../delta/data-files.js";
import type { Lake } from "../lake.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { filesOfRun } from "../tables/files-of-run.js";
import { type HistorySpec, isThere } from "./history-spec.js";

/** How many rows a run added to a history: those that are new or have changed, and those that say that a key is gone. */
interface RowsOfRun {
  readonly changed: number;
  readonly removed: number;
}

/**
 * Counts the rows of a run in a history, in the files that came since its first commit. Undefined where the log can't tell
 * any more.
 *
 * @param runId with which {@link appendChanges}'s `appId` begins, before a slash
 */
export async function rowsOfRun(
  { store, duckdb, table }: Pick<Lake, "store" | "duckdb" | "table">,
  spec: HistorySpec,
  runId: string,
): Promise<RowsOfRun | undefined> {
  const adds = await filesOfRun({ store, duckdb, table }, spec.name, runId);
  if (adds === undefined || adds.length === 0) return adds && { changed: 0, removed: 0 };
  const files = await localFiles({ store, duckdb, table: spec.name }, adds);
  const there = `count(*) filter (where ${isThere(spec)})`;
  const [row] = await duckdb.exclusive((sql) =>
    sql.few(`select ${there} as changed, count(*) - ${there} as removed
      from ${parquetRows(files, spec.columns)} where run_id = ${sqlText(runId)}`),
  );
  return { changed: Number(row?.changed), removed: Number(row?.removed) };
}
