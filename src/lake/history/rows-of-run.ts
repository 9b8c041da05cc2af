import { localFiles } from "../delta/data-files.js";
import type { AddFile } from "../delta/delta-actions.js";
import { changesAfter } from "../delta/delta-log.js";
import type { Lake } from "../lake.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { type HistorySpec, isThere } from "./history-spec.js";

/** A run's rows; undefined where the log can't tell. `runId` begins its transactions' names. */
export async function rowsOfRun(
  { store, duckdb, table }: Pick<Lake, "store" | "duckdb" | "table">,
  spec: HistorySpec,
  runId: string,
) {
  const adds = await filesOfRun({ store, duckdb, table }, spec.name, runId);
  if (adds === undefined || adds.length === 0) return adds && { changed: 0, removed: 0 };
  const files = await localFiles({ store, duckdb, table: spec.name }, adds);
  const there = `count(*) filter (where ${isThere(spec)})`;
  const [row] = await duckdb.exclusive((sql) =>
    sql.rowsAtOnce(`select ${there} as changed, count(*) - ${there} as removed
      from ${parquetRows(files, spec.columns)} where run_id = ${sqlText(runId)}`),
  );
  return { changed: Number(row?.changed), removed: Number(row?.removed) };
}

/**
 * Files since the first commit of a run; undefined where the log can't tell.
 * @param runId begins its transactions' names
 */
export async function filesOfRun(
  { store, duckdb, table }: Pick<Lake, "store" | "duckdb" | "table">,
  name: string,
  runId: string,
): Promise<AddFile[] | undefined> {
  const snapshot = await table(name).snapshot();
  const versions = [...snapshot.txns].flatMap(([appId, { version }]) =>
    appId.startsWith(`${runId}/`) ? [version] : [],
  );
  if (versions.length === 0) return [];
  const came = await changesAfter({ store, duckdb, table: name }, Math.min(...versions) - 1, snapshot);
  return came?.map(({ add }) => add);
}
