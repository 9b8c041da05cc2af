import { DAY } from "../../domain/duration.js";
import type { ObjectEntry, ObjectStore } from "../store/object-store.js";
import { logPrefix, versionName, versionOfCheckpoint, versionOfCommit } from "./delta-path.js";

interface LogFile extends ObjectEntry {
  readonly version: number;
}

/** All its files are there. */
export interface LogCheckpoint {
  readonly version: number;
  /** If its writer split it. */
  readonly parts?: number;
  readonly bytes: number;
}

export interface LogListing {
  readonly commits: readonly LogFile[];
  readonly checkpoints: readonly LogCheckpoint[];
  readonly checkpointFiles: readonly LogFile[];
}

export async function listLog(
  { store, table }: { readonly store: ObjectStore; readonly table: string },
  from = 0,
): Promise<LogListing> {
  const prefix = logPrefix(table);
  return listingOf(await store.list(prefix, from > 0 ? `${prefix}${versionName(from)}` : ""));
}

/** A log's entries by kind; an incomplete checkpoint does not count. */
export function listingOf(entries: readonly ObjectEntry[]): LogListing {
  const commits: LogFile[] = [];
  const checkpointFiles: LogFile[] = [];
  const found = new Map<string, LogCheckpoint & { files: number; bytes: number }>();
  for (const entry of entries) {
    const commit = versionOfCommit(entry.key);
    if (commit !== undefined) commits.push({ ...entry, version: commit });
    const part = versionOfCheckpoint(entry.key);
    if (part === undefined) continue;
    checkpointFiles.push({ ...entry, version: part.version });
    const name = `${part.version}/${part.parts}`;
    const whole = found.get(name) ?? { ...part, files: 0, bytes: 0 };
    found.set(name, { ...whole, files: whole.files + 1, bytes: whole.bytes + entry.size });
  }
  const whole = [...found.values()].filter(({ files, parts = 1 }) => files === parts);
  // Two writers may have split one version differently.
  const checkpoints = new Map(whole.map(({ files: _, ...checkpoint }) => [checkpoint.version, checkpoint]));
  return { commits, checkpoints: [...checkpoints.values()], checkpointFiles };
}

export interface LogTail {
  readonly checkpointBytes: number;
  readonly versions: number;
  readonly bytes: number;
}

export const NO_TAIL: LogTail = { checkpointBytes: 0, versions: 0, bytes: 0 };

/** A tail known up to a version, with what was listed since. */
export function tailAfter(known: LogTail, version: number, listing: LogListing): LogTail {
  const newest = listing.checkpoints.at(-1);
  const base = newest === undefined ? known : { ...NO_TAIL, checkpointBytes: newest.bytes };
  const later = listing.commits.filter((commit) => commit.version > (newest?.version ?? version));
  return {
    checkpointBytes: base.checkpointBytes,
    versions: base.versions + later.length,
    bytes: base.bytes + later.reduce((sum, { size }) => sum + size, 0),
  };
}

/** A smaller log gains nothing by a checkpoint. */
const FLOOR_BYTES = 4_000_000;
/** The cost of a version's file beside its bytes. */
const VERSION_BYTES = 64_000;

/**
 * Due once reading the commits costs as much as the last checkpoint: readers read at most twice the state, and all
 * checkpoints are no larger than all commits.
 */
export function isCheckpointDue(tail: LogTail, floorBytes = FLOOR_BYTES): boolean {
  return tail.bytes + tail.versions * VERSION_BYTES >= Math.max(floorBytes, tail.checkpointBytes);
}

/** The beginning of the oldest of the `count` newest days in a log, by no clock. */
export function newestDays(times: readonly number[], count: number): number {
  const days = [...new Set(times.map((time) => Math.floor(time / DAY)))].sort((a, b) => b - a);
  return (days[count - 1] ?? Number.NEGATIVE_INFINITY) * DAY;
}
