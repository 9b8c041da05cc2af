import type { Metadata } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-path.js";
import { type LogListing, newestDays } from "./log-listing.js";

/** Commits to keep besides those after the older one of two checkpoints. */
export interface LogRetention {
  /** The newest days with a commit, within the bounds below. */
  readonly days: number;
  readonly mostVersions: number;
  readonly mostBytes: number;
  /** The newest commits stay at any age: a table with few keeps months. */
  readonly fewVersions: number;
  readonly fewBytes: number;
}

const RETENTION: LogRetention = {
  days: 5,
  mostVersions: 5_000,
  mostBytes: 64_000_000,
  fewVersions: 500,
  fewBytes: 8_000_000,
};
/** `mostBytes` is at least so many checkpoints: committing each link once takes three. */
const MOST_CHECKPOINTS = 4;

/** With these an owner decides how long a log is kept: other tools clean it up. */
const OWNER_PROPERTIES = ["delta.logRetentionDuration", "delta.enableExpiredLogCleanup"] as const;

/**
 * Deletes files of a log that nobody needs, the oldest first: a stop leaves no gap. Call it when `_last_checkpoint`
 * durably names the newest checkpoint.
 */
export async function cleanUpLog(
  { store }: DeltaLocation,
  metadata: Metadata | undefined,
  listing: LogListing,
  retention?: LogRetention,
): Promise<void> {
  if (OWNER_PROPERTIES.some((property) => metadata?.configuration[property] !== undefined)) return;
  for (const key of expiredFiles(listing, retention)) await store.delete(key);
}

/** Two checkpoints stay, with the commits after them and of the newest days. Pure. */
export function expiredFiles(
  { commits, checkpoints, checkpointFiles }: LogListing,
  retention = RETENTION,
): string[] {
  const [older, newest] = checkpoints.slice(-2);
  if (older === undefined || newest === undefined) return [];
  const kept = firstKept(commits, older.version, newest.bytes, retention);
  return [
    ...commits.filter(({ version }) => version < kept),
    ...checkpointFiles.filter(({ version }) => version < older.version),
  ]
    .sort((a, b) => a.version - b.version)
    .map(({ key }) => key);
}

/** The older checkpoint's version, or an earlier one that is new enough. */
function firstKept(
  commits: LogListing["commits"],
  older: number,
  checkpointBytes: number,
  { days, mostVersions, mostBytes, fewVersions, fewBytes }: LogRetention,
): number {
  const since = newestDays(commits.map(timeOf), days);
  const most = Math.max(mostBytes, MOST_CHECKPOINTS * checkpointBytes);
  let kept = older;
  let bytes = 0;
  for (const [before, commit] of newestFirst(commits, older).entries()) {
    bytes += commit.size;
    if (before >= mostVersions || bytes > most) break;
    const isAmongFew = before < fewVersions && bytes <= fewBytes;
    if (isAmongFew || timeOf(commit) >= since) kept = Math.min(kept, commit.version);
  }
  return kept;
}

/** Commits up to a version without a gap, and all later ones, the newest first. */
function newestFirst(commits: LogListing["commits"], version: number): LogListing["commits"] {
  const all = commits.toReversed();
  const gap = all.findIndex(
    (commit, at) => commit.version < version && commit.version !== (all[at - 1]?.version ?? version) - 1,
  );
  return gap === -1 ? all : all.slice(0, gap);
}

function timeOf({ modifiedAt }: { readonly modifiedAt: Date }): number {
  return modifiedAt.getTime();
}
