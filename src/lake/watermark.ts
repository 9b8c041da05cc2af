import { createHash } from "node:crypto";
import { InputError } from "../domain/failures.js";
import type { AddFile, DeltaAction } from "./delta/delta-actions.js";
import { changesAfter, commitsBack } from "./delta/delta-log.js";
import { commitKey, type DeltaLocation } from "./delta/delta-path.js";
import { isErasure, type Snapshot } from "./delta/delta-snapshot.js";
import type { ObjectStore } from "./store/object-store.js";

interface TableState {
  readonly table: string;
  readonly snapshot: Snapshot;
}

/** A transaction whose version marks the source's commit that was reached. */
const markOf = (source: string) => `${source}/commit`;

export function watermarkOf(derived: Snapshot, source: string): number {
  return derived.txns.get(source)?.version ?? -1;
}

function setsWatermark(actions: readonly DeltaAction[], { txns }: Snapshot, source: string): boolean {
  const set = new Map(actions.flatMap((action) => ("txn" in action ? [[action.txn.appId, action.txn]] : [])));
  return [source, markOf(source)].every(
    (name) => set.has(name) && set.get(name)?.version === txns.get(name)?.version,
  );
}

/** Transactions without a time, so that no checkpoint drops them. */
export async function watermarkActions(
  store: ObjectStore,
  source: TableState,
  version: number,
): Promise<DeltaAction[]> {
  const mark = await commitMark(store, source, version);
  return [
    { txn: { appId: source.table, version } },
    ...(mark === undefined ? [] : [{ txn: { appId: markOf(source.table), version: mark } }]),
  ];
}

export interface SourceChanges {
  readonly adds: readonly AddFile[];
  /** All files of the source: they replace the derived table. */
  readonly whole: boolean;
  /** Why, where there is a derived table. */
  readonly because?: string;
}

/**
 * What came to a source since a watermark, or all of it.
 * @param anew why to take all although the watermark may be right
 * @throws InputError without a source
 */
export async function sourceSince(
  reader: Omit<DeltaLocation, "table">,
  derived: TableState,
  source: TableState,
  anew?: string,
): Promise<SourceChanges> {
  const { table, snapshot } = source;
  const from = watermarkOf(derived.snapshot, table);
  const strange =
    anew ??
    (from < 0
      ? lostWatermark(derived.snapshot)
      : ((await strangeWatermark(reader.store, derived, source)) ??
        (await strangeRows(reader, derived, table))));
  const changed =
    strange === undefined && from >= 0
      ? await changesAfter({ store: reader.store, duckdb: reader.duckdb, table }, from, snapshot)
      : undefined;
  if (changed !== undefined) return { adds: changed.map(({ add }) => add), whole: false };
  const because =
    strange ??
    (from < 0
      ? undefined
      : `what came to ${table} after version ${from} can't be read any more, or took rows away`);
  return { adds: [...snapshot.files.values()], whole: true, ...(because !== undefined && { because }) };
}

function lostWatermark({ files }: Snapshot): string | undefined {
  return files.size > 0 ? "it has lost its watermark" : undefined;
}

/** Why a watermark names no commit of this source. */
export async function strangeWatermark(
  store: ObjectStore,
  derived: TableState,
  source: TableState,
): Promise<string | undefined> {
  const version = watermarkOf(derived.snapshot, source.table);
  const newest = source.snapshot.version;
  if (newest < 0) {
    throw new InputError(
      `Table ${derived.table} is at version ${version} of ${source.table}, but ${source.table} is missing. ` +
        `Nothing was changed; restore ${source.table} from a backup.`,
    );
  }
  if (version > newest) {
    return `it was at version ${version} of ${source.table}, which is only at ${newest}: ${source.table} was restored from an older copy`;
  }
  const mark = derived.snapshot.txns.get(markOf(source.table))?.version;
  if (mark === undefined) return `it has lost the id of ${source.table}'s commit`;
  const found = await commitMark(store, source, version);
  if (found === undefined)
    return `it was at version ${version} of ${source.table}, which can't be read any more`;
  if (mark === found) return undefined;
  return `version ${version} of ${source.table} is not the commit that it was brought up to: one of the two was restored from another copy`;
}

/** Another tool changed rows after the watermark was set. */
async function strangeRows(
  reader: Omit<DeltaLocation, "table">,
  { table, snapshot }: TableState,
  source: string,
): Promise<string | undefined> {
  let before = snapshot.version;
  for await (const { version, actions } of commitsBack({ ...reader, table }, before)) {
    if (setsWatermark(actions, snapshot, source)) return undefined;
    if (!isErasure(actions) && actions.some(changesRows))
      return `another tool changed rows of ${table} in its version ${version}`;
    before = version - 1;
  }
  return before < 0 ? undefined : `version ${before} of ${table} can't be read any more`;
}

function changesRows(action: DeltaAction): boolean {
  return ("add" in action && action.add.dataChange) || ("remove" in action && action.remove.dataChange);
}

/** Every reader of JSON keeps such a number exactly. */
const DIGITS = 13;

/**
 * Identifies a commit by the table's id and the commit's bytes, which hold a random id: a restored table goes on with
 * other commits. Undefined for an unreadable version.
 */
async function commitMark(
  store: ObjectStore,
  { table, snapshot }: TableState,
  version: number,
): Promise<number | undefined> {
  const body = await store.get(commitKey(table, version));
  if (body === undefined) return undefined;
  const hash = createHash("sha256").update(`${snapshot.metadata?.id}\n`).update(body);
  return Number.parseInt(hash.digest("hex").slice(0, DIGITS), 16);
}
