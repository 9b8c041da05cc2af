import { InputError } from "../../domain/failures.js";
import type { DuckDb } from "../sql/duckdb.js";
import type { ObjectStore } from "../store/object-store.js";

export interface DeltaLocation {
  readonly store: ObjectStore;
  readonly table: string;
  readonly duckdb: DuckDb;
}

const VERSION_DIGITS = 20;

export function logPrefix(table: string): string {
  return `${table}/_delta_log/`;
}

/** Names sort as versions do. */
export function versionName(version: number): string {
  return String(version).padStart(VERSION_DIGITS, "0");
}

export function commitKey(table: string, version: number): string {
  return `${logPrefix(table)}${versionName(version)}.json`;
}

export function checkpointKeys(table: string, version: number, parts?: number): string[] {
  const start = `${logPrefix(table)}${versionName(version)}.checkpoint`;
  if (parts === undefined) return [`${start}.parquet`];
  const digits = (part: number) => String(part).padStart(10, "0");
  return Array.from({ length: parts }, (_, at) => `${start}.${digits(at + 1)}.${digits(parts)}.parquet`);
}

export function lastCheckpointKey(table: string): string {
  return `${logPrefix(table)}_last_checkpoint`;
}

export function versionOfCommit(key: string): number | undefined {
  const digits = /\/(\d{20})\.json$/.exec(key)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Version and number of parts; undefined for other files. */
export function versionOfCheckpoint(key: string): { version: number; parts?: number } | undefined {
  const found = /\/(\d{20})\.checkpoint(?:\.\d{10}\.(\d{10}))?\.parquet$/.exec(key);
  if (found === null) return undefined;
  const version = Number(found[1]);
  return found[2] === undefined ? { version } : { version, parts: Number(found[2]) };
}

/** The store's key of a data file. @throws InputError for files outside the table */
export function fileKey(table: string, path: string): string {
  if (path.startsWith("/") || /^[a-z][a-z0-9+.-]*:/i.test(path)) {
    throw new InputError(
      `Table ${table} refers to ${path}, a file outside of it. Nightledger reads only tables that own all their files.`,
    );
  }
  return `${table}/${decodeURIComponent(path)}`;
}

export function filePath(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}
