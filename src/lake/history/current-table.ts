import { localFiles } from "../delta/data-files.js";
import type { TableSpec } from "../delta/delta-schema.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { rewrite } from "../materialize/rewrite.js";
import { inQueue } from "../queue.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { commitNext } from "../tables/append.js";
import { compactMany } from "../tables/compact.js";
import { type SourceChanges, sourceSince, watermarkActions, watermarkOf } from "../watermark.js";
import { historyState, observedUntilOf } from "./history-files.js";
import { derivedOf, type HistorySpec, isHistory, OBSERVED_AT } from "./history-spec.js";

interface BroughtUp {
  /** Undefined if it was up to date. */
  readonly rows?: number;
  readonly because?: string;
}

/** {@link bringUpCurrent} for each history; yields what was done to each rebuilt table. */
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
 * Materializes a history's derived table, and merges the history's small files (docs/inside/rules.md, "Histories of
 * changes"). @throws InputError where a file is missing; StoreFullError on a full disk
 */
export async function bringUpCurrent(lake: Lake, spec: HistorySpec, prefix: string): Promise<BroughtUp> {
  const derived = derivedOf(spec);
  const { name } = derived.table;
  return inQueue(`${lake.store.address}/${name}`, async () => {
    for (;;) {
      const { current, history } = await historyState(lake, spec);
      if (history.files.size === 0 && watermarkOf(current, spec.name) < 0) return {};
      const source = { table: spec.name, snapshot: history };
      const changes = await sourceSince(lake, { table: name, snapshot: current }, source);
      if (!changes.whole && changes.adds.length === 0) return {};
      const { files, replaced } = await rewrite(lake, derived, prefix, current, changes);
      const actions = [
        { commitInfo: { operation: "MERGE" } },
        ...(await watermarkActions(lake.store, source, history.version)),
        { txn: { appId: observedUntilOf(spec), version: await observedUntil(lake, spec, current, changes) } },
      ];
      if (!(await commitNext(lake, derived.table, current, { files, replaced, actions }))) continue;
      await compactMany(lake, spec, spec.key);
      const rows = files.reduce((sum, file) => sum + file.rows, 0);
      return changes.because === undefined ? { rows } : { rows, because: changes.because };
    }
  });
}

/** The newest observation in the table, in epoch milliseconds. */
async function observedUntil(
  lake: Lake,
  spec: HistorySpec,
  { txns }: Snapshot,
  { adds, whole }: SourceChanges,
) {
  const before = whole ? 0 : (txns.get(observedUntilOf(spec))?.version ?? 0);
  const paths = await localFiles({ ...lake, table: spec.name }, adds);
  const [row] = await lake.duckdb.exclusive((sql) =>
    sql.rowsAtOnce(`select epoch_us(max(${OBSERVED_AT})) as us from ${parquetRows(paths, spec.columns)}`),
  );
  return Math.max(before, Math.ceil(Number(row?.us ?? 0) / 1000));
}
