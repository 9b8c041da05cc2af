import type { TableSpec } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { inQueue } from "../queue.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import { columnNames } from "../sql/duckdb-sql.js";
import { commitNext } from "../tables/append.js";
import { compact } from "../tables/compact.js";
import { type DataFile, writeQuery } from "../tables/parquet-file.js";
import { watermarkActions, watermarkOf } from "../watermark.js";
import {
  type HistoryFiles,
  type HistoryState,
  historyFiles,
  historyState,
  observedUntilOf,
} from "./history-files.js";
import { currentOf, type HistorySpec, isHistory, isThere, OBSERVED_AT } from "./history-spec.js";
import { inKeyParts, keysIn, newestRows } from "./newest-rows.js";

/** If more keys than this have new rows, they are written in parts, to bound memory. */
const MOST_KEYS = 50_000;

interface BroughtUp {
  /** Rows in the small table; undefined if it was up to date. */
  readonly rows?: number;
  readonly because?: string;
}

/** As {@link bringUpCurrent}, of each history among some tables. Gives what was done to each small table that was rebuilt. */
export async function* bringUpHistories(
  lake: Lake,
  tables: readonly TableSpec[],
  prefix: string,
): AsyncGenerator<BroughtUp & { readonly table: string }> {
  for (const table of tables.filter(isHistory)) {
    const done = await bringUpCurrent(lake, table, prefix);
    if (done.because !== undefined) yield { ...done, table: table.name };
  }
}

/**
 * Brings the small table of a history up to its newest version, and merges the history's small files (docs/inside/rules.md,
 * "Histories of changes"). @throws InputError where a file is missing; StoreFullError on a full disk. It then is as it was.
 */
export async function bringUpCurrent(lake: Lake, spec: HistorySpec, prefix: string): Promise<BroughtUp> {
  return inQueue(`${lake.store.address}/${currentOf(spec).name}`, async () => {
    for (;;) {
      const state = await historyState(lake, spec);
      if (state.history.files.size === 0 && watermarkOf(state.current, spec.name) < 0) return {};
      const files = await historyFiles(lake, state);
      if (!files.whole && files.since.length === 0) return {};
      const written = await writeCurrent(lake, spec, files, prefix);
      if (!(await replace(lake, state, files, written))) continue;
      await compact(lake, spec, spec.key);
      const rows = written.reduce((sum, file) => sum + file.rows, 0);
      return files.because === undefined ? { rows } : { rows, because: files.because };
    }
  });
}

async function writeCurrent(
  lake: Lake,
  spec: HistorySpec,
  files: HistoryFiles,
  prefix: string,
): Promise<DataFile[]> {
  const current = currentOf(spec);
  const columns = columnNames(current.columns);
  const written: DataFile[] = [];
  const parts = Math.ceil((await keysSince(lake, spec, files)) / MOST_KEYS);
  await inKeyParts(lake, spec, files, parts, async (part) => {
    const query = `select ${columns} from (${newestRows(spec, part)}) where ${isThere(spec)}`;
    written.push(...(await writeQuery(lake, current, prefix, query)));
  });
  return written;
}

async function keysSince(lake: Lake, spec: HistorySpec, files: HistoryFiles): Promise<number> {
  if (files.rows <= MOST_KEYS) return files.rows;
  const [row] = await lake.duckdb.exclusive((sql) => sql.few(keysIn(spec, files)));
  return Number(row?.keys ?? 0);
}

/** Replaces all files by new ones, and sets the watermark; false if another writer was faster. */
async function replace(
  lake: Lake,
  { spec, current, history }: HistoryState,
  files: HistoryFiles,
  written: readonly DataFile[],
): Promise<boolean> {
  const source = { table: spec.name, snapshot: history };
  const watermark = await watermarkActions(lake.store, source, history.version);
  const observedUntil = Math.max(files.observedUntil, await lastObserved(lake, files));
  return commitNext(lake, currentOf(spec), current, {
    files: written,
    replaced: current.files.values(),
    actions: [
      { commitInfo: { operation: "MERGE" } },
      ...watermark,
      { txn: { appId: observedUntilOf(spec), version: observedUntil } },
    ],
  });
}

async function lastObserved(lake: Lake, { since }: HistoryFiles): Promise<number> {
  if (since.length === 0) return 0;
  const [row] = await lake.duckdb.exclusive((sql) =>
    sql.few(`select epoch_us(max(${OBSERVED_AT})) as us from ${parquetFiles(since, { byName: true })}`),
  );
  return Math.ceil(Number(row?.us ?? 0) / 1000);
}
