import type { Metadata } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import type { LogListing } from "./log-listing.js";

const DAY_MS = 86_400_000;

/** The commits that stay in a log besides those after the older one of two checkpoints. */
export interface LogRetention {
  /** Days on which the table has committed, the newest ones, whose commits stay within the bounds below. */
  readonly days: number;
  readonly mostVersions: number;
  readonly mostBytes: number;
  /** The newest commits, which stay however old they are: a table that is seldom committed to keeps months of them. */
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
/** The most bytes are never less than so many checkpoints: the state of each link, committed once, takes three. */
const MOST_CHECKPOINTS = 4;

/** Properties of a table by which its owner says how long the log is kept; other tools then clean it up, or nobody. */
const OWNERS_WORD = ["delta.logRetentionDuration", "delta.enableExpiredLogCleanup"] as const;

/**
 * Deletes what nobody needs of a log any more (docs/inside/architecture.md, "Delta log"), the oldest version first: wherever
 * it ends, what is left of the commits is one run. To be called when `_last_checkpoint` names the newest checkpoint,
 * durably. Two processes may clean up at once; the one with the older listing deletes less.
 */
export async function cleanUpLog(
  { store }: DeltaLocation,
  metadata: Metadata | undefined,
  listing: LogListing,
  retention?: LogRetention,
): Promise<void> {
  if (OWNERS_WORD.some((property) => metadata?.configuration[property] !== undefined)) return;
  for (const key of expiredFiles(listing, retention)) await store.delete(key);
}

/**
 * The files of a log that may be deleted, in that order. Two checkpoints stay, and every commit after the
 * older one; so do the commits of the newest days on which the table has committed. What is old is counted by what
 * the log has, and not by a clock: one that jumps ahead makes one day more.
 */
export function expiredFiles(
  { commits, checkpoints, checkpointFiles }: LogListing,
  retention = RETENTION,
): string[] {
  const [older, newest] = checkpoints.slice(-2);
  if (older === undefined || newest === undefined) return [];
  const kept = Math.min(
    older.version,
    firstKept(commits, older.version, newest.bytes, retention) ?? older.version,
  );
  return [
    ...commits.filter(({ version }) => version < kept),
    ...checkpointFiles.filter(({ version }) => version < older.version),
  ]
    .sort((a, b) => a.version - b.version)
    .map(({ key }) => key);
}

/**
 * The first version that stays for its day, or for being new, of those that lead up to the older checkpoint without a
 * gap. Later ones all stay: a gap among them is none, as a listing may miss a commit that is written meanwhile.
 */
function firstKept(
  commits: LogListing["commits"],
  older: number,
  checkpointBytes: number,
  { days, mostVersions, mostBytes, fewVersions, fewBytes }: LogRetention,
): number | undefined {
  const found = [...new Set(commits.map(dayOf))].sort((a, b) => b - a);
  const since = found[days - 1] ?? Number.NEGATIVE_INFINITY;
  const most = Math.max(mostBytes, MOST_CHECKPOINTS * checkpointBytes);
  let first: number | undefined;
  let [versions, bytes, last] = [0, 0, older];
  for (const commit of commits.toReversed()) {
    const isGap = commit.version < older && commit.version !== last - 1;
    versions += 1;
    bytes += commit.size;
    if (isGap || versions > mostVersions || bytes > most) break;
    last = commit.version;
    const isNew = versions <= fewVersions && bytes <= fewBytes;
    if (isNew || dayOf(commit) >= since) first = commit.version;
  }
  return first;
}

function dayOf({ modifiedAt }: { readonly modifiedAt: Date }): number {
  return Math.floor(modifiedAt.getTime() / DAY_MS);
}
