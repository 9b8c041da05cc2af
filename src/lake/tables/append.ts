import { type AddFile, type DeltaAction, removeOf } from "../delta/delta-actions.js";
import { schemaActions, type TableSpec } from "../delta/delta-schema.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { addOf, type DataFile } from "./parquet-file.js";

/** Appends files to a table other than the feed once, by a transaction of that name in its log. */
export async function appendOnce(
  lake: Lake,
  spec: TableSpec,
  appId: string,
  write: () => Promise<readonly DataFile[]>,
): Promise<void> {
  const table = lake.table(spec.name);
  if ((await table.snapshot()).txns.has(appId)) return;
  const files = await write();
  if (files.length === 0) return;
  await table.commit((snapshot) => {
    if (snapshot.txns.has(appId)) return null;
    const lastUpdated = Date.now();
    // Checkpoints drop transactions by version, so these are the log's own.
    const version = snapshot.version + 1;
    return [
      ...schemaActions(spec, snapshot, lastUpdated),
      { txn: { appId, version, lastUpdated } },
      ...files.map((file) => ({ add: addOf(file) })),
    ];
  });
}

interface NextVersion {
  readonly files: readonly DataFile[];
  readonly replaced?: Iterable<AddFile>;
  readonly actions?: readonly DeltaAction[];
}

/** Commits as the version after the one decided on; false, with the files deleted, if another writer took it. */
export async function commitNext(
  lake: Lake,
  spec: TableSpec,
  before: Snapshot,
  { files, replaced = [], actions = [] }: NextVersion,
): Promise<boolean> {
  const committed = await lake.table(spec.name).commit((now) => {
    if (now.version !== before.version) return null;
    const at = Date.now();
    return [
      ...actions,
      ...schemaActions(spec, now, at),
      ...[...replaced].map((file) => ({ remove: removeOf(file, at) })),
      ...files.map((file) => ({ add: addOf(file) })),
    ];
  });
  if (committed !== null) return true;
  await Promise.all(files.map(({ path }) => lake.store.delete(`${spec.name}/${path}`)));
  return false;
}

/**
 * Appends what is decided on the newest version, decided again after each conflict: each writer knows what the one
 * before wrote.
 */
export async function appendDecided<R>(
  lake: Lake,
  spec: TableSpec,
  decide: (snapshot: Snapshot) => Promise<Omit<NextVersion, "replaced"> & { readonly result: R }>,
): Promise<R> {
  for (;;) {
    const before = await lake.table(spec.name).snapshot();
    const { result, ...next } = await decide(before);
    const isNothing = next.files.length === 0 && next.actions === undefined;
    if (isNothing || (await commitNext(lake, spec, before, next))) return result;
  }
}
