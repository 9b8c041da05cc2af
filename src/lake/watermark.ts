import { createHash } from "node:crypto";
import { InputError } from "../domain/failures.js";
import type { DeltaAction } from "./delta/delta-actions.js";
import { commitKey } from "./delta/delta-path.js";
import type { Snapshot } from "./delta/delta-snapshot.js";
import type { ObjectStore } from "./store/object-store.js";

/** A table and one of its states. */
interface TableState {
  readonly table: string;
  readonly snapshot: Snapshot;
}

/** Names the transaction whose version is the mark of the commit that a derived table stands at. */
const markOf = (source: string) => `${source}/commit`;

/** The version of its source that a derived table stands at; -1 where it stands at none. */
export function watermarkOf(derived: Snapshot, source: string): number {
  return derived.txns.get(source)?.version ?? -1;
}

/** Whether two states of a derived table stand at the same commit of the same source. */
export function sameWatermark(one: Snapshot, other: Snapshot, source: string): boolean {
  return [source, markOf(source)].every(
    (name) => one.txns.get(name)?.version === other.txns.get(name)?.version,
  );
}

/**
 * The actions that set the watermark. Transactions, because every reader keeps or ignores them; without a time,
 * because a watermark that a checkpoint left out would cost a rebuild.
 */
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

/**
 * Why the watermark of a derived table says nothing about this source, so that the table must be rebuilt; undefined
 * where it stands at a commit of it, or at none.
 *
 * @throws InputError where there is no source at all: the derived table is then all that is left.
 */
export async function strangeWatermark(
  store: ObjectStore,
  derived: TableState,
  source: TableState,
): Promise<string | undefined> {
  const version = watermarkOf(derived.snapshot, source.table);
  if (version < 0) return undefined;
  const newest = source.snapshot.version;
  if (newest < 0) {
    throw new InputError(
      `Table ${derived.table} stands at version ${version} of ${source.table}, which is not there. ` +
        `Nothing was changed; restore ${source.table} from a backup.`,
    );
  }
  if (version > newest) {
    return `it stands at version ${version} of ${source.table}, which is at ${newest}: ${source.table} was restored from an older copy`;
  }
  const mark = derived.snapshot.txns.get(markOf(source.table))?.version;
  if (mark === undefined)
    return `an earlier release wrote it without the id of the commit of ${source.table}`;
  const found = await commitMark(store, source, version);
  if (found === undefined)
    return `version ${version} of ${source.table}, which it stands at, can't be read any more`;
  if (mark === found) return undefined;
  return `version ${version} of ${source.table} is not the commit that it stands at: one of the two was restored from another copy`;
}

/** Hex digits that make a whole number which every reader of JSON keeps exactly. */
const DIGITS = 13;

/**
 * A number that tells one commit of one table from every other: the beginning of the sha256 over the table's id and
 * the bytes of the commit, which hold a random id of their own. A version number alone tells nothing: the log of a
 * restored table counts on with other commits. Undefined where the version can't be read any more.
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
