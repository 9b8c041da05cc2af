import { type DeltaAction, removeOf } from "../delta/delta-actions.js";
import { isExtended, schemaActions } from "../delta/delta-schema.js";
import { watermarkActions, watermarkOf } from "../delta/watermark.js";
import type { Lake } from "../lake.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import { sqlName } from "../sql/duckdb-sql.js";
import { compact } from "../tables/compact.js";
import { addOf, type DataFile, writeQuery } from "../tables/parquet-file.js";
import { inTurn } from "../turns.js";
import {
  type HistoryFiles,
  type HistoryState,
  historyFiles,
  historyState,
  observedUntilOf,
} from "./history-files.js";
import { currentOf, GONE, type HistorySpec, OBSERVED_AT } from "./history-spec.js";
import { newestRows } from "./newest-rows.js";

/** What one call did. */
interface BroughtUp {
  /** Rows that the small table has; undefined where it stood as it should. */
  readonly rows?: number;
  /** Why it was made anew. */
  readonly because?: string;
}

/**
 * Brings the small table of a history up to it, where it has changed since, and merges the history's small files
 * (docs/architecture.md, "Histories of changes"). Of two processes the slower one finds nothing left to do.
 *
 * @throws InputError where a file, or the history itself, is missing; StoreFullError on a full disk. The small table
 * then stands as it did.
 */
export async function bringUpCurrent(lake: Lake, spec: HistorySpec, prefix: string): Promise<BroughtUp> {
  return inTurn(`${lake.store.address}/${currentOf(spec).name}`, async () => {
    for (;;) {
      const state = await historyState(lake, spec);
      if (state.history.version < 0 && watermarkOf(state.current, spec.name) < 0) return {};
      const files = await historyFiles(lake, state);
      if (!files.whole && files.since.length === 0) return {};
      const file = await writeCurrent(lake, spec, files, prefix);
      if (!(await replace(lake, state, files, file))) continue;
      // Of an older lake some files lack a column, and what merges files does not know it.
      if (!isExtended(state.history.metadata)) await compact(lake, spec, spec.key);
      const because = files.because === undefined ? {} : { because: files.because };
      return { rows: file?.rows ?? 0, ...because };
    }
  });
}

async function writeCurrent(
  lake: Lake,
  spec: HistorySpec,
  files: HistoryFiles,
  prefix: string,
): Promise<DataFile | undefined> {
  const current = currentOf(spec);
  const columns = current.columns.map(({ name }) => sqlName(name)).join(", ");
  const query = `select ${columns} from (${newestRows(spec, files)}) where ${GONE} is not true`;
  return writeQuery(lake, current, prefix, query);
}

/** Puts a new file in the place of all others, with the watermark; false where another writer was faster. */
async function replace(
  lake: Lake,
  { spec, current: standing, history }: HistoryState,
  files: HistoryFiles,
  file: DataFile | undefined,
): Promise<boolean> {
  const current = currentOf(spec);
  const watermark = await watermarkActions(
    lake.store,
    { table: spec.name, snapshot: history },
    history.version,
  );
  const observedUntil = Math.max(files.observedUntil, await lastObserved(lake, files));
  const committed = await lake.table(current.name).commit((now) => {
    if (now.version !== standing.version) return null;
    const at = Date.now();
    return [
      { commitInfo: { operation: "MERGE" } },
      ...schemaActions(current, now, at),
      ...[...now.files.values()].map((one): DeltaAction => ({ remove: removeOf(one, at) })),
      ...(file === undefined ? [] : [{ add: addOf(file) }]),
      ...watermark,
      { txn: { appId: observedUntilOf(spec), version: observedUntil } },
    ];
  });
  if (committed !== null) return true;
  if (file !== undefined) await lake.store.delete(`${current.name}/${file.path}`);
  return false;
}

/** When the newest of some rows was observed, in epoch milliseconds, rounded up. */
async function lastObserved(lake: Lake, { since }: HistoryFiles): Promise<number> {
  if (since.length === 0) return 0;
  const [row] = await lake.duckdb.exclusive((sql) =>
    sql.few(`select epoch_us(max(${OBSERVED_AT})) as us from ${parquetFiles(since, { byName: true })}`),
  );
  return Math.ceil(Number(row?.us ?? 0) / 1000);
}
