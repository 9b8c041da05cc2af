import { fileKey } from "../delta/delta-path.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { factsOf } from "../delta/delta-stats.js";
import { openTable } from "../delta/delta-table.js";
import type { Lake } from "../lake.js";
import type { DuckDb } from "../sql/duckdb.js";
import type { ObjectStore } from "../store/object-store.js";
import { strangeWatermark, watermarkOf } from "../watermark.js";
import { currentOf, type HistorySpec } from "./history-spec.js";

/** What is needed of a lake to read a history. */
interface HistoryReader {
  readonly store: ObjectStore;
  readonly duckdb: DuckDb;
}

/** A history and its small table, each at one state. */
export interface HistoryState {
  readonly spec: HistorySpec;
  /** Read before `history`, so that it is never ahead of it. */
  readonly current: Snapshot;
  readonly history: Snapshot;
}

/** The local files that say how things stand. */
export interface HistoryFiles {
  /** Those of the small table; none where it says nothing about this history. */
  readonly current: readonly string[];
  /** Those that brought rows to the history after that; all of them where {@link whole}. */
  readonly since: readonly string[];
  /** Rows in `since`. */
  readonly rows: number;
  /** Whether nothing but the history says how things stand. */
  readonly whole: boolean;
  /** Why, where there is a small table. */
  readonly because?: string;
  /** No row that `since` lacks was observed later, in epoch milliseconds. */
  readonly observedUntil: number;
}

/** The transaction in the log of a small table whose version is {@link HistoryFiles.observedUntil} for the next one. */
export const observedUntilOf = (spec: HistorySpec) => `${spec.name}/observed_at`;

/** The newest state of a history and its small table. */
export async function historyState(lake: Pick<Lake, "table">, spec: HistorySpec): Promise<HistoryState> {
  const current = await lake.table(currentOf(spec).name).snapshot();
  return { spec, current, history: await lake.table(spec.name).snapshot() };
}

/**
 * The files to read for the newest rows of a history: those of its small table and what came since. Where the small
 * table is of another copy of the history, or what came since can't be read any more or took rows away, these are all
 * files of the history.
 *
 * @throws InputError where a file, or the history itself, is missing.
 */
export async function historyFiles(reader: HistoryReader, state: HistoryState): Promise<HistoryFiles> {
  const { spec, current, history } = state;
  const small = currentOf(spec).name;
  const from = watermarkOf(current, spec.name);
  const strange = await strangeWatermark(
    reader.store,
    { table: small, snapshot: current },
    { table: spec.name, snapshot: history },
  );
  if (from < 0) return wholeHistory(reader, state);
  if (strange !== undefined) return { ...(await wholeHistory(reader, state)), because: strange };
  const since = await changedFiles(reader, state, from);
  const observedUntil = current.txns.get(observedUntilOf(spec))?.version;
  if (since === undefined || observedUntil === undefined) {
    const because = `what came to ${spec.name} after version ${from} can't be read any more, or took rows away`;
    return { ...(await wholeHistory(reader, state)), because };
  }
  return {
    current: await localFiles(reader, small, [...current.files.values()]),
    since: await localFiles(reader, spec.name, since),
    rows: rowsIn(since),
    whole: false,
    observedUntil,
  };
}

/** All files of a history, whatever its small table says. */
export async function wholeHistory(
  reader: HistoryReader,
  { spec, history }: HistoryState,
): Promise<HistoryFiles> {
  const live = [...history.files.values()];
  const since = await localFiles(reader, spec.name, live);
  return { current: [], since, rows: rowsIn(live), whole: true, observedUntil: Number.NEGATIVE_INFINITY };
}

type StoredFile = { readonly path: string; readonly stats?: string };

/** The files of the versions after `from`, also those that were merged meanwhile; undefined where one is gone. */
async function changedFiles(
  { store, duckdb }: HistoryReader,
  { spec: { name: table }, history }: HistoryState,
  from: number,
): Promise<StoredFile[] | undefined> {
  const changed = await openTable(store, table, duckdb).changesBetween(from, history.version);
  if (changed === undefined) return undefined;
  for (const { add } of changed) {
    if (!history.files.has(add.path) && (await store.stat(fileKey(table, add.path))) === undefined)
      return undefined;
  }
  return changed.map(({ add }) => add);
}

async function localFiles(
  { store, duckdb }: HistoryReader,
  table: string,
  files: readonly StoredFile[],
): Promise<string[]> {
  const local: string[] = [];
  for (const { path } of files)
    local.push(await store.download(fileKey(table, path), duckdb.scratchDirectory));
  return local;
}

function rowsIn(files: readonly StoredFile[]): number {
  return files.reduce((sum, file) => sum + (factsOf(file).rows ?? 0), 0);
}
