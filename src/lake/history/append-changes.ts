import { NO_REMOVALS, type RefusedList, type Removals, refusedLists } from "../../domain/tables/removals.js";
import type { DeltaAction } from "../delta/delta-actions.js";
import { readCommit } from "../delta/delta-log.js";
import { rowsIn } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { inQueue } from "../queue.js";
import { commitNext } from "../tables/append.js";
import { type DataFile, writeQuery } from "../tables/parquet-file.js";
import { type ComparedList, type Comparison, compare, type Observations } from "./comparison.js";
import { bringUpCurrent } from "./current-table.js";
import { historyFiles, historyState } from "./history-files.js";
import type { HistorySpec } from "./history-spec.js";
import { type ListHole, type ReadList, readingActions } from "./whole-lists.js";

/** With more new rows than this, and more than the small table has, that is brought up before it is read. */
const MOST_ROWS_SINCE = 250_000;

export interface Appended {
  readonly isRead: boolean;
  /** Lists that would have removed too much: none of their rows was added. */
  readonly refused: readonly (ComparedList & RefusedList)[];
  /** What the other lists removed. */
  readonly taken: Removals;
}

/**
 * Adds observations that differ from the last row of their key, and a row for each key that is gone, once, by a
 * transaction of that name. Decided on one version and committed as the next, again after each conflict; the commit also
 * records how far windowed lists were read, and which were refused.
 * @param runId names the file, and is the run in rows of keys that are gone
 */
export async function appendChanges(
  lake: Lake,
  spec: HistorySpec,
  appId: string,
  runId: string,
  observations: Observations,
): Promise<Appended> {
  return inQueue(`${lake.store.address}/${spec.name}`, async () => {
    let isBroughtUp = false;
    let isRead = false;
    for (;;) {
      const state = await historyState(lake, spec);
      const done = state.history.txns.get(appId);
      if (done !== undefined) return { isRead, ...(await verdictOf(lake, spec, done.version)) };
      const files = await historyFiles(lake, state);
      const known = files.whole ? 0 : rowsIn(state.current.files.values());
      if (files.rows > Math.max(MOST_ROWS_SINCE, known) && !isBroughtUp) {
        await bringUpCurrent(lake, spec, runId);
        isBroughtUp = true;
        continue;
      }
      const { written, holes, refused, taken } = await writeChanges(lake, {
        state,
        files,
        runId,
        observations,
      });
      isRead = true;
      const whole = withoutRefused(observations.whole, refused);
      const readings = readingActions(state.history, whole, holes);
      if (written.length + readings.length + refused.length === 0) return { isRead, refused, taken };
      const { version } = state.history;
      const actions: DeltaAction[] = [
        { commitInfo: { refused, taken } },
        { txn: { appId, version: version + 1, lastUpdated: Date.now() } },
        ...readings,
      ];
      if (await commitNext(lake, spec, state.history, { files: written, actions }))
        return { isRead, refused, taken };
    }
  });
}

/** What the commit recorded; nothing once the log has lost it. */
async function verdictOf(
  { store, duckdb }: Lake,
  { name }: HistorySpec,
  version: number,
): Promise<Omit<Appended, "isRead">> {
  const commit = await readCommit({ store, duckdb, table: name }, version);
  const [info] = commit?.actions.flatMap((action) => ("commitInfo" in action ? action.commitInfo : [])) ?? [];
  const { refused = [], taken = NO_REMOVALS } = (info ?? {}) as Partial<Appended>;
  return { refused, taken };
}

const nameOf = (list: ReadList | null) => JSON.stringify([list?.fpId, list?.linkId]);

export function withoutRefused<L extends ReadList>(lists: readonly L[], refused: Appended["refused"]): L[] {
  const names = new Set(refused.map(({ list }) => nameOf(list)));
  return lists.filter((list) => !names.has(nameOf(list)));
}

/** Writes what differs, and finds lists that lack rows. */
async function writeChanges(
  lake: Lake,
  comparison: Comparison,
): Promise<Omit<Appended, "isRead"> & { readonly written: DataFile[]; readonly holes: readonly ListHole[] }> {
  const { state, runId, observations } = comparison;
  let holes: readonly ListHole[] = [];
  let verdict: Omit<Appended, "isRead"> = { refused: [], taken: NO_REMOVALS };
  const written = await writeQuery(lake, state.spec, runId, async (sql) => {
    const compared = await compare(lake, sql, comparison, (lists) => {
      verdict = refusedLists(lists, observations.removals ?? NO_REMOVALS);
      return verdict.refused;
    });
    holes = compared.holes;
    return compared.changes;
  });
  return { written, holes, ...verdict };
}
