import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The files below a lake with their sizes, by path from the lake on. */
export type LakeFiles = ReadonlyMap<string, number>;

const isOfLog = (path: string) => path.includes("/_delta_log/");
const lakeOf = (directory: string) => join(directory, "lake");

/** Looks at all files of the lake of a command's directory. */
export async function lakeFiles(directory: string): Promise<LakeFiles> {
  const lake = lakeOf(directory);
  const files = new Map<string, number>();
  for (const entry of await readdir(lake, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(lake.length + 1), (await stat(path)).size);
  }
  return files;
}

/** Bytes of the files that were not there before, by table (`bank_links_bytes`), with their log. */
export function newBytesByTable(before: LakeFiles, after: LakeFiles): Record<string, number> {
  const bytes: Record<string, number> = {};
  for (const [path, size] of after) {
    if (before.has(path)) continue;
    const name = `${path.split("/", 1)[0]}_bytes`;
    bytes[name] = (bytes[name] ?? 0) + size;
  }
  return bytes;
}

/** What a lake's logs take. */
export interface LogBytes {
  /** Every `_delta_log`, checkpoints included. */
  readonly total: number;
  /** That of one table. */
  readonly ofTable: number;
  /** The largest checkpoint of that table; 0 where it has none. */
  readonly checkpoint: number;
}

/** Adds up what lies in the `_delta_log` of all tables, and in that of one. */
export function logBytes(files: LakeFiles, table: string): LogBytes {
  let total = 0;
  let ofTable = 0;
  let checkpoint = 0;
  for (const [path, size] of files) {
    if (!isOfLog(path)) continue;
    total += size;
    if (!path.startsWith(`${table}/`)) continue;
    ofTable += size;
    if (path.endsWith(".parquet")) checkpoint = Math.max(checkpoint, size);
  }
  return { total, ofTable, checkpoint };
}
