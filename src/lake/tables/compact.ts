import { InputError } from "../../domain/failures.js";
import { changedFiles, localFiles } from "../delta/data-files.js";
import { type AddFile, removeOf } from "../delta/delta-actions.js";
import { fileKey } from "../delta/delta-path.js";
import { columnsOf, schemaActions, type TableSpec } from "../delta/delta-schema.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { boundedColumns, factsOf } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { isOutOfMemory } from "../sql/duckdb.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { columnNames, sqlNames } from "../sql/duckdb-sql.js";
import { addOf, writeStored } from "./parquet-file.js";

/** Names of merged files begin so. */
export const COMPACTED = "compacted";

/** A merge sorts in memory, and long rows are compressed in files. */
const TARGET = { rows: 200_000, bytes: 16 * 1024 * 1024 };

/** Between two upkeeps, fewer small files are worth no merge. */
const MANY = 16;

/** Small files in order, in merges of `least` files and at most the target. Pure. */
export function filesToMerge(files: Iterable<AddFile>, least = 2, target = TARGET): AddFile[][] {
  const merges: AddFile[][] = [];
  let [rows, bytes] = [target.rows, target.bytes];
  for (const file of files) {
    const more = factsOf(file).rows;
    if (more === undefined || more * 2 > target.rows || file.size * 2 > target.bytes) continue;
    [rows, bytes] = [rows + more, bytes + file.size];
    if (rows > target.rows || bytes > target.bytes) {
      merges.push([]);
      [rows, bytes] = [more, file.size];
    }
    merges.at(-1)?.push(file);
  }
  return merges.filter(({ length }) => length >= least);
}

interface Compaction {
  /** Default: the columns with bounds. */
  readonly order?: readonly string[];
  readonly least?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Merges small files in commits that change no row, in halves out of memory. It stops after a conflict.
 * @throws InputError at a changed file
 */
export async function compact(lake: Lake, spec: TableSpec, how: Compaction = {}): Promise<void> {
  const { order = boundedColumns(spec.columns), least, signal } = how;
  const left = new Set<string>();
  for (;;) {
    signal?.throwIfAborted();
    const { files } = await lake.table(spec.name).snapshot();
    const [merged] = filesToMerge(
      [...files.values()].filter(({ path }) => !left.has(path)),
      least,
    );
    if (merged === undefined || !(await mergeInHalves(lake, spec, order, merged, left))) return;
  }
}

/** Merges small files once there are many; a changed one is for the next upkeep to report. */
export async function compactMany(lake: Lake, spec: TableSpec, order?: readonly string[]): Promise<void> {
  try {
    await compact(lake, spec, { ...(order && { order }), least: MANY });
  } catch (error) {
    if (!(error instanceof ChangedFileError)) throw error;
  }
}

class ChangedFileError extends InputError {
  constructor(table: string, path: string) {
    super(
      `The file ${table}/${path} was changed: its sha256 is not the one in the table's log. No files of the table were merged. ` +
        "Restore it from a backup; `nightledger verify` tells what else was changed.",
    );
  }
}

/** False if nothing was merged. */
async function merge(
  lake: Lake,
  spec: TableSpec,
  order: readonly string[],
  merged: readonly AddFile[],
): Promise<boolean> {
  const table = lake.table(spec.name);
  if (!knowsColumns(spec, (await table.snapshot()).metadata)) return false;
  const location = { ...lake, table: spec.name };
  // The log would vouch for the new file's bytes.
  const [changed] = await changedFiles(location, merged);
  if (changed !== undefined) throw new ChangedFileError(spec.name, changed.path);
  const paths = await localFiles(location, merged);
  const columns = columnNames(spec.columns);
  const sorted = order.length > 0 ? `order by ${sqlNames(order)}` : "";
  const [file] = await writeStored(
    lake,
    spec,
    COMPACTED,
    `select ${columns} from ${parquetRows(paths, spec.columns)} ${sorted}`,
  );
  if (file === undefined) return false;
  const done = await table.commit((snapshot) => {
    if (merged.some(({ path }) => !snapshot.files.has(path))) return null;
    const now = Date.now();
    const removed = merged.map((one) => ({ remove: { ...removeOf(one, now), dataChange: false } }));
    // Change readers leave out old files; the rows may be of a machine whose clock is ahead.
    const modificationTime = Math.max(file.modifiedAt, ...merged.map((one) => one.modificationTime));
    const add = { ...addOf(file, false), modificationTime };
    return [...schemaActions(spec, snapshot, now), ...removed, { add }];
  });
  // Its rows may have been erased meanwhile.
  if (done === null) await lake.store.delete(fileKey(spec.name, file.path));
  return done !== null;
}

/** @param left gets files of which two don't fit into memory */
async function mergeInHalves(
  lake: Lake,
  spec: TableSpec,
  order: readonly string[],
  merged: readonly AddFile[],
  left: Set<string>,
): Promise<boolean> {
  try {
    return await merge(lake, spec, order, merged);
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    const half = merged.slice(0, Math.ceil(merged.length / 2));
    if (half.length > 1) return mergeInHalves(lake, spec, order, half, left);
    for (const { path } of merged) left.add(path);
    return true;
  }
}

/** A file of ours would lose columns that a later version added. */
export function knowsColumns({ name, columns }: TableSpec, metadata: Snapshot["metadata"]): boolean {
  const known = new Set(columns.map((column) => column.name));
  return metadata === undefined || columnsOf(name, metadata.schemaString).every((own) => known.has(own.name));
}
