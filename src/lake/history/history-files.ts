import { localFiles } from "../delta/data-files.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { rowsIn } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { sourceSince } from "../watermark.js";
import { currentOf, type HistorySpec } from "./history-spec.js";

type HistoryReader = Pick<Lake, "store" | "duckdb">;

export interface HistoryState {
  readonly spec: HistorySpec;
  /** Read before `history`, so it is never ahead of it. */
  readonly current: Snapshot;
  readonly history: Snapshot;
}

/** The local files that hold the newest rows of a history. */
export interface HistoryFiles {
  /** Those of the small table; none if it says nothing about this history. */
  readonly current: readonly string[];
  /** Those that brought rows to the history after that; all of them where {@link whole}. */
  readonly since: readonly string[];
  /** Rows in `since`. */
  readonly rows: number;
  /** Whether only the history itself can tell its newest rows. */
  readonly whole: boolean;
  /** Why, if there is a small table. */
  readonly because?: string;
  /** No row outside `since` was observed later, in epoch milliseconds. */
  readonly observedUntil: number;
}

/** Names the transaction in a small table's log whose version is the next {@link HistoryFiles.observedUntil}. */
export const observedUntilOf = (spec: HistorySpec) => `${spec.name}/observed_at`;

export async function historyState(lake: Pick<Lake, "table">, spec: HistorySpec): Promise<HistoryState> {
  const current = await lake.table(currentOf(spec).name).snapshot();
  return { spec, current, history: await lake.table(spec.name).snapshot() };
}

/**
 * Finds the files with the newest rows of a history: its small table's and what came since, or all of the history where those
 * can't tell. @throws InputError where a file, or the history itself, is missing.
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
