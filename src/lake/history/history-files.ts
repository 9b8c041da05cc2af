import { localFiles } from "../delta/data-files.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { rowsIn } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { sourceSince } from "../watermark.js";
import { currentOf, type HistorySpec } from "./history-spec.js";

type HistoryReader = Pick<Lake, "store" | "duckdb">;

export interface HistoryState {
  readonly spec: HistorySpec;
  /** Read before `history`, so never ahead of it. */
  readonly current: Snapshot;
  readonly history: Snapshot;
}

/** Local files with the newest rows of a history. */
export interface HistoryFiles {
  /** The derived table's; none if it is of another history. */
  readonly current: readonly string[];
  /** Files that came to the history later; all where {@link whole}. */
  readonly since: readonly string[];
  /** Rows in `since`. */
  readonly rows: number;
  /** Only the history itself has the newest rows. */
  readonly whole: boolean;
  /** Why, if there is a derived table. */
  readonly because?: string;
  /** The newest observation outside `since`, in epoch milliseconds. */
  readonly observedUntil: number;
}

/** A transaction whose version is the next {@link HistoryFiles.observedUntil}. */
export const observedUntilOf = (spec: HistorySpec) => `${spec.name}/observed_at`;

export async function historyState(lake: Pick<Lake, "table">, spec: HistorySpec): Promise<HistoryState> {
  const current = await lake.table(currentOf(spec).name).snapshot();
  return { spec, current, history: await lake.table(spec.name).snapshot() };
}

/**
 * Files with the newest rows of a history: its derived table's and what came since, or all of the history. @throws
 * InputError where a file, or the history, is missing
 */
export async function historyFiles(reader: HistoryReader, state: HistoryState): Promise<HistoryFiles> {
  const { spec, current, history } = state;
  const small = currentOf(spec).name;
  const changes = await sourceSince(
    reader,
    { table: small, snapshot: current },
    { table: spec.name, snapshot: history },
  );
  const observedUntil = current.txns.get(observedUntilOf(spec))?.version;
  if (changes.whole || observedUntil === undefined) {
    const whole = await wholeHistory(reader, state);
    return changes.because === undefined ? whole : { ...whole, because: changes.because };
  }
  const { store, duckdb } = reader;
  return {
    current: await localFiles({ store, duckdb, table: small }, current.files.values()),
    since: await localFiles({ store, duckdb, table: spec.name }, changes.adds),
    rows: rowsIn(changes.adds),
    whole: false,
    observedUntil,
  };
}

export async function wholeHistory(
  { store, duckdb }: HistoryReader,
  { spec, history }: HistoryState,
): Promise<HistoryFiles> {
  const live = [...history.files.values()];
  const since = await localFiles({ store, duckdb, table: spec.name }, live);
  return { current: [], since, rows: rowsIn(live), whole: true, observedUntil: Number.NEGATIVE_INFINITY };
}
