import type { DeltaAction } from "../delta/delta-actions.js";
import { schemaActions } from "../delta/delta-schema.js";
import { rowsIn } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { inQueue } from "../queue.js";
import { addOf, type DataFile, writeQuery } from "../tables/parquet-file.js";
import { compare, type Observations } from "./comparison.js";
import { bringUpCurrent } from "./current-table.js";
import { type HistoryFiles, type HistoryState, historyFiles, historyState } from "./history-files.js";
import type { HistorySpec } from "./history-spec.js";
import { type ListHole, readingActions } from "./whole-lists.js";

/**
 * With more rows than this since the last time, and more than the small table has, it is brought up before it is read.
 */
const MOST_ROWS_SINCE = 250_000;

/** Observations of more bytes than this are compared in parts, to bound memory. */
const MOST_BYTES = 10 * 1024 * 1024;

/**
 * Adds to a history the observations that differ from the last row of their key, and a row for each key that is gone,
 * once: if the table's log has a transaction of that name, this is the repetition of a call whose answer was lost, and
 * writes nothing. The same commit says until which day windowed lists were read. What differs is decided on one version
 * and committed as the next one; if another writer takes that version, it is decided again.
 *
 * @param runId names the file, and is the run in rows that say that a key is gone
 * @returns whether the observations were read
 */
export async function appendChanges(
  lake: Lake,
  spec: HistorySpec,
  appId: string,
  runId: string,
  observations: Observations,
): Promise<boolean> {
  const table = lake.table(spec.name);
  return inQueue(`${lake.store.address}/${spec.name}`, async () => {
    let isBroughtUp = false;
    let isRead = false;
    for (;;) {
      const state = await historyState(lake, spec);
      if (state.history.txns.has(appId)) return isRead;
      const files = await historyFiles(lake, state);
      const known = files.whole ? 0 : rowsIn(state.current.files.values());
      if (files.rows > Math.max(MOST_ROWS_SINCE, known) && !isBroughtUp) {
        await bringUpCurrent(lake, spec, runId);
        isBroughtUp = true;
        continue;
      }
      const { written, holes } = await writeChanges(lake, { state, files, runId, observations });
      isRead = true;
      const readings = readingActions(state.history, observations.whole, holes);
      if (written.length === 0 && readings.length === 0) return true;
      const committed = await table.commit((now) => {
        if (now.version !== state.history.version) return null;
        const at = Date.now();
        return [
          ...schemaActions(spec, now, at),
          { txn: { appId, version: now.version + 1, lastUpdated: at } },
          ...readings,
          ...written.map((file): DeltaAction => ({ add: addOf(file) })),
        ];
      });
      if (committed !== null) return true;
      for (const { path } of written) await lake.store.delete(`${spec.name}/${path}`);
    }
  });
}

interface Difference {
  readonly state: HistoryState;
  readonly files: HistoryFiles;
  readonly runId: string;
  readonly observations: Observations;
}

/** Writes what differs, in files that nothing refers to yet, and finds the lists that lack rows. */
async function writeChanges(
  lake: Lake,
  { observations, ...difference }: Difference,
): Promise<{ readonly written: readonly DataFile[]; readonly holes: readonly ListHole[] }> {
  const { spec } = difference.state;
  const parts = Math.max(1, Math.ceil(observations.bytes / MOST_BYTES));
  const written: DataFile[] = [];
  const holes: ListHole[] = [];
  for (let part = 0; part < parts; part += 1) {
    const keys = { part, parts };
    const file = await writeQuery(lake, spec, difference.runId, async (sql) => {
      const compared = await compare(lake, sql, { ...difference, observations, keys });
      holes.push(...compared.holes);
      return compared.changes;
    });
    if (file !== undefined) written.push(file);
  }
  return { written, holes };
}
