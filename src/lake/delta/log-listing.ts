import type { ObjectEntry, ObjectStore } from "../store/object-store.js";
import { logPrefix, versionName, versionOfCheckpoint, versionOfCommit } from "./delta-path.js";

/** A commit, or a file of a checkpoint. */
interface LogFile extends ObjectEntry {
  readonly version: number;
}

/** A checkpoint of which every file is there. */
export interface LogCheckpoint {
  readonly version: number;
  /** The number of its files where its writer cut it. */
  readonly parts?: number;
  readonly bytes: number;
}

/** The versions that a log has, in their order. */
export interface LogListing {
  readonly commits: readonly LogFile[];
  readonly checkpoints: readonly LogCheckpoint[];
  readonly checkpointFiles: readonly LogFile[];
}

/** What a log has from a version on. */
export async function listLog(
  { store, table }: { readonly store: ObjectStore; readonly table: string },
  from = 0,
): Promise<LogListing> {
  const prefix = logPrefix(table);
  return listingOf(await store.list(prefix, from > 0 ? `${prefix}${versionName(from)}` : ""));
}

/** What the entries of a log are; a checkpoint that lacks a file is none. */
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
  // Two writers may have cut the same version differently.
  const checkpoints = new Map(whole.map(({ files: _, ...checkpoint }) => [checkpoint.version, checkpoint]));
  return { commits, checkpoints: [...checkpoints.values()], checkpointFiles };
}

/** What a log has after its newest checkpoint. */
export interface LogTail {
  readonly checkpointBytes: number;
  readonly versions: number;
  readonly bytes: number;
}

export const NO_TAIL: LogTail = { checkpointBytes: 0, versions: 0, bytes: 0 };

/** The tail of a log that was known up to a version, with what was listed of it since. */
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

/** Below this, a log is read so quickly that a checkpoint would save nothing. */
const FLOOR_BYTES = 4_000_000;
/** What a version costs its readers besides its bytes: a file that is looked for, opened and read. */
const VERSION_BYTES = 64_000;

/**
 * Whether a checkpoint should follow: once reading the commits costs what reading the last checkpoint costs. So all
 * checkpoints together are no larger than all commits, however many links a table knows, and a reader reads at most
 * twice what the table's state takes.
 */
export function isCheckpointDue(tail: LogTail, floorBytes = FLOOR_BYTES): boolean {
  return tail.bytes + tail.versions * VERSION_BYTES >= Math.max(floorBytes, tail.checkpointBytes);
}
