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

/** So many files of like size become one: n single files become about 16 × log₁₆ n. */
const FAN_IN = 16;

/** A merge sorts in memory, and long rows are compressed in files. */
const TARGET = { rows: 200_000, bytes: 16 * 1024 * 1024 };

/** The smallest size with enough files, within bounds. Pure. */
export function filesToMerge(files: Iterable<AddFile>, most = TARGET): AddFile[] {
  const sizes = new Map<number, AddFile[]>();
  for (const file of files) {
    const { rows } = factsOf(file);
    if (rows === undefined) continue;
    const size = Math.floor(Math.log(Math.max(1, rows)) / Math.log(FAN_IN));
    sizes.set(size, [...(sizes.get(size) ?? []), file]);
  }
  const bounded = [...sizes].map(([size, some]) => [size, within(some, most)] as const);
  const ready = bounded.filter(([, some]) => some.length >= FAN_IN).sort(([a], [b]) => a - b);
  return ready[0]?.[1] ?? [];
}

function within(files: readonly AddFile[], most: typeof TARGET): AddFile[] {
  let [rows, bytes] = [0, 0];
  return files.filter((file) => {
    const more = factsOf(file).rows ?? 0;
    if (rows + more > most.rows || bytes + file.size > most.bytes) return false;
    rows += more;
    bytes += file.size;
    return true;
  });
}

/**
 * Merges small files, sorted by `order`, in commits that change no row, until each size has few. It stops after a
 * conflict, out of memory, and at a changed file.
 */
export async function compact(lake: Lake, spec: TableSpec, order: readonly string[] = []): Promise<void> {
  try {
    for (;;) {
      const { files } = await lake.table(spec.name).snapshot();
      const merged = filesToMerge(files.values());
      if (merged.length === 0 || !(await merge(lake, spec, order, merged))) return;
    }
  } catch (error) {
    if (!isOutOfMemory(error) && !(error instanceof ChangedFileError)) throw error;
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

/** Small files in order, in merges of at most the target. Pure. */
export function mergesToTarget(files: Iterable<AddFile>, target = TARGET): AddFile[][] {
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
  return merges.filter(({ length }) => length > 1);
}

/** Merges small files sorted by the bounded columns; in halves out of memory. */
export async function compactToTarget(lake: Lake, spec: TableSpec, signal?: AbortSignal): Promise<void> {
  const order = boundedColumns(spec.columns);
  const left = new Set<string>();
  for (;;) {
    signal?.throwIfAborted();
    const { files } = await lake.table(spec.name).snapshot();
    const [merged] = mergesToTarget([...files.values()].filter(({ path }) => !left.has(path)));
    if (merged === undefined || !(await mergeInHalves(lake, spec, order, merged, left))) return;
  }
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
