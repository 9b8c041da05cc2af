import { InputError } from "../../../domain/failures.js";
import { localFiles } from "../../delta/data-files.js";
import { type AddFile, removeOf } from "../../delta/delta-actions.js";
import { fileKey } from "../../delta/delta-path.js";
import { APPEND_ONLY } from "../../delta/delta-protocol.js";
import { schemaActions, type TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { ERASURE, leftOf } from "../../delta/erasure.js";
import { unreadActions } from "../../history/whole-lists.js";
import type { Lake } from "../../lake.js";
import { isDataFile } from "../../maintain/unneeded-files.js";
import { isOutOfMemory } from "../../sql/duckdb.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import { columnNames } from "../../sql/duckdb-sql.js";
import { knowsColumns } from "../../tables/compact.js";
import { addOf, writeStored } from "../../tables/parquet-file.js";

/** One thread keeps the order of rows. */
const THREADS = 1;

/** Names the transaction in a table's log whose version is how many rows of a person were erased. */
export const erasedOf = (fpId: string) => `erased/${fpId}`;

/**
 * Takes rows out of a table: its files are written again without them, and every file that has such rows is deleted, so
 * that no earlier version has them either. Killed anywhere, it does the rest when it is called again.
 *
 * @param condition SQL of the rows
 * @param fpId whose rows they are; the table's log counts them
 * @throws InputError where the table needs a newer version of the program
 */
export async function eraseRows(
  lake: Lake,
  spec: TableSpec,
  condition: string,
  fpId: string,
  signal?: AbortSignal,
): Promise<void> {
  const table = lake.table(spec.name);
  for (;;) {
    signal?.throwIfAborted();
    const before = await table.snapshot();
    if (before.version < 0) return;
    if (!knowsColumns(spec, before.metadata)) {
      throw new InputError(
        `Table ${spec.name} has columns that this version does not know. Rows of it were not erased; use the newer version of nightledger.`,
      );
    }
    const touched = await holding(lake, spec, [...before.files.values()], condition);
    if (touched.length === 0) break;
    if (await rewritten(lake, spec, before, touched, condition, fpId)) break;
  }
  await restoreAppendOnly(lake, spec);
  await deleteOthers(lake, spec, condition, signal);
}

interface Holding {
  readonly file: AddFile;
  readonly rows: number;
}

/** The files that hold such rows. */
async function holding(
  lake: Lake,
  spec: TableSpec,
  files: readonly AddFile[],
  condition: string,
): Promise<Holding[]> {
  const found: Holding[] = [];
  for (const file of files) {
    const paths = await localFiles({ ...lake, table: spec.name }, [file]);
    const rows = await countRows(lake, spec, paths, condition);
    if (rows > 0) found.push({ file, rows });
  }
  return found;
}

async function countRows(
  lake: Lake,
  { columns }: TableSpec,
  paths: readonly string[],
  condition: string,
): Promise<number> {
  const [row] = await lake.duckdb.exclusive((sql) =>
    sql.few(`select count(*) as rows from ${parquetRows(paths, columns)} where ${condition}`),
  );
  return Number(row?.rows);
}

/** Writes files again without the rows; false if another writer was faster. */
async function rewritten(
  lake: Lake,
  spec: TableSpec,
  before: Snapshot,
  touched: readonly Holding[],
  condition: string,
  fpId: string,
): Promise<boolean> {
  const left: AddFile[] = [];
  for (const { file } of touched) {
    const paths = await localFiles({ ...lake, table: spec.name }, [file]);
    const query = `select ${columnNames(spec.columns)} from ${parquetRows(paths, spec.columns)}
      where (${condition}) is not true`;
    const written = await writeStored(lake, spec, "kept", query, THREADS);
    if (written !== undefined) left.push(leftOf(file, addOf(written)));
  }
  const rows = touched.reduce((sum, one) => sum + one.rows, 0);
  const committed = await lake.table(spec.name).commit((now) => {
    if (now.version !== before.version) return null;
    const at = Date.now();
    const earlier = now.txns.get(erasedOf(fpId))?.version ?? 0;
    return [
      { commitInfo: ERASURE },
      ...(isAppendOnly(now) ? withAppendOnly(now, "false") : schemaActions(spec, now, at)),
      { txn: { appId: erasedOf(fpId), version: earlier + rows } },
      ...unreadActions(now, fpId, at),
      ...touched.map(({ file }) => ({ remove: removeOf(file, at) })),
      ...left.map((add) => ({ add })),
    ];
  });
  if (committed !== null) return true;
  await Promise.all(left.map(({ path }) => lake.store.delete(fileKey(spec.name, path))));
  return false;
}

function isAppendOnly({ metadata }: Snapshot): boolean {
  return metadata?.configuration[APPEND_ONLY] === "true";
}

function withAppendOnly({ metadata }: Snapshot, value: "true" | "false") {
  if (metadata === undefined) return [];
  return [{ metaData: { ...metadata, configuration: { ...metadata.configuration, [APPEND_ONLY]: value } } }];
}

/** A feed refuses deletions again once the erasure is committed. */
async function restoreAppendOnly(lake: Lake, { name, feed }: TableSpec): Promise<void> {
  if (feed) await lake.table(name).commit((now) => (isAppendOnly(now) ? null : withAppendOnly(now, "true")));
}

/** Deletes the files that no newest version refers to and that hold such rows, or can't be read. */
async function deleteOthers(
  lake: Lake,
  spec: TableSpec,
  condition: string,
  signal?: AbortSignal,
): Promise<void> {
  const { files } = await lake.table(spec.name).snapshot();
  const live = new Set([...files.keys()].map((path) => fileKey(spec.name, path)));
  for (const { key } of await lake.store.list(`${spec.name}/`)) {
    signal?.throwIfAborted();
    if (live.has(key) || !isDataFile(key)) continue;
    const rows = await countRows(lake, spec, [await lake.store.download(key)], condition).catch((error) => {
      if (isOutOfMemory(error)) throw error;
    });
    if (rows !== 0) await lake.store.delete(key);
  }
}
