import type { Metadata } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-path.js";
import { type LogListing, newestDays } from "./log-listing.js";

/** Which commits a clean-up keeps, besides those after the older one of two checkpoints. */
export interface LogRetention {
  /** The commits of this many days stay, within the bounds below: the newest days on which the table has committed. */
  readonly days: number;
  readonly mostVersions: number;
  readonly mostBytes: number;
  /** The newest commits stay, however old they are: a table with few commits keeps months of them. */
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
/** `mostBytes` is at least this many checkpoints: committing the state of each link once takes three. */
const MOST_CHECKPOINTS = 4;

/** Table properties by which an owner decides how long the log is kept; other tools then clean it up, or none. */
const OWNER_PROPERTIES = ["delta.logRetentionDuration", "delta.enableExpiredLogCleanup"] as const;

/**
 * Deletes the files of a log that nobody needs any more, the oldest version first: wherever it stops, the others have no gap.
 * Call it when `_last_checkpoint` durably names the newest checkpoint; of two processes one deletes less.
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

/** Decides which files of a log may go, in order: two checkpoints stay, and the commits after them and of the newest days. Pure. */
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

/** The first version whose commit stays: that of the older checkpoint, or an earlier one that is new enough. */
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

/** The commits that lead up to a version without a gap, and all later ones (a listing may lack one), the newest first. */
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
