import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";

/** The files below a lake with their sizes, by path from the lake on. */
export type LakeFiles = ReadonlyMap<string, number>;

const DAY_MS = 86_400_000;
const isOfLog = (path: string) => path.includes("/_delta_log/");
export const lakeOf = (directory: string) => join(directory, "lake");

/** Lets a day pass for the logs: how long they are kept is counted in the days of their files. */
export async function ageLogs(directory: string): Promise<void> {
  const paths = [...(await lakeFiles(directory)).keys()].filter(isOfLog);
  for (const path of paths.map((name) => join(lakeOf(directory), name))) {
    const { atime, mtimeMs } = await stat(path);
    await utimes(path, atime, new Date(mtimeMs - DAY_MS));
  }
}

/**
 * Gives the files of a lake that were written since `began`, in milliseconds, the time of a day so many days later, as
 * `days-later.ts` has told the command that wrote them.
 */
export async function dateFiles(lake: string, began: number, days: number): Promise<void> {
  const now = began + DAY_MS / 2;
  for (const entry of await readdir(lake, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const found = entry.isFile() ? await stat(path).catch(() => undefined) : undefined;
    if (found === undefined || found.mtimeMs < began || found.mtimeMs > now) continue;
    await utimes(path, found.atime, new Date(found.mtimeMs + days * DAY_MS));
  }
}

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
