import { InputError } from "../../domain/failures.js";

const VERSION_DIGITS = 20;

/** The key prefix of a table's log. */
export function logPrefix(table: string): string {
  return `${table}/_delta_log/`;
}

/** A version as log files name it, so that names sort as versions do. */
export function versionName(version: number): string {
  return String(version).padStart(VERSION_DIGITS, "0");
}

/** The key of one version's commit. */
export function commitKey(table: string, version: number): string {
  return `${logPrefix(table)}${versionName(version)}.json`;
}

/** The keys of a version's checkpoint: one file, or as many as its writer cut it into. */
export function checkpointKeys(table: string, version: number, parts?: number): string[] {
  const start = `${logPrefix(table)}${versionName(version)}.checkpoint`;
  if (parts === undefined) return [`${start}.parquet`];
  const digits = (part: number) => String(part).padStart(10, "0");
  return Array.from({ length: parts }, (_, at) => `${start}.${digits(at + 1)}.${digits(parts)}.parquet`);
}

/** The key that names a table's newest checkpoint. */
export function lastCheckpointKey(table: string): string {
  return `${logPrefix(table)}_last_checkpoint`;
}

/** The version of a commit's key, undefined for every other file of the log. */
export function versionOfCommit(key: string): number | undefined {
  const digits = /\/(\d{20})\.json$/.exec(key)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The version (and number of parts) of a checkpoint's key, undefined for every other file of the log. */
export function versionOfCheckpoint(key: string): { version: number; parts?: number } | undefined {
  const found = /\/(\d{20})\.checkpoint(?:\.\d{10}\.(\d{10}))?\.parquet$/.exec(key);
  if (found === null) return undefined;
  const version = Number(found[1]);
  return found[2] === undefined ? { version } : { version, parts: Number(found[2]) };
}

/**
 * The store's key of a data file named in a log.
 * @throws InputError for files outside the table, which only other tools write (shallow clones).
 */
export function fileKey(table: string, path: string): string {
  if (path.startsWith("/") || /^[a-z][a-z0-9+.-]*:/i.test(path)) {
    throw new InputError(
      `Table ${table} refers to ${path}, a file outside of it. Only tables with files of their own can be read.`,
    );
  }
  return `${table}/${decodeURIComponent(path)}`;
}

/** The path under which a log names a data file of its table. */
export function filePath(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}
