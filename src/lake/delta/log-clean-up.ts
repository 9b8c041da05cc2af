import type { Metadata } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import type { LogListing } from "./log-listing.js";

const DAY_MS = 86_400_000;
/** Days on which the table has committed, the newest ones, of which all commits are kept within the bounds below. */
const KEPT_DAYS = 5;
const MOST_VERSIONS = 5_000;
const MOST_BYTES = 64_000_000;
/** The same where a checkpoint is large: commits with the state of each link once take three times its bytes. */
const MOST_CHECKPOINTS = 4;
/** The newest commits that are kept however old they are: a table that is seldom committed to takes years for more. */
const FEW_VERSIONS = 500;
const FEW_BYTES = 8_000_000;

/** Properties of a table by which its owner says how long the log is kept; other tools then clean it up, or nobody. */
const RETENTION = ["delta.logRetentionDuration", "delta.enableExpiredLogCleanup"] as const;

/**
 * Deletes what nobody needs of a log any more (docs/architecture.md, "Delta log"), the oldest version first: wherever
 * it ends, what is left of the commits is one run. To be called when `_last_checkpoint` names the newest checkpoint,
 * durably. Two processes may clean up at once; the one with the older listing deletes less.
 */
export async function cleanUpLog(
  { store }: DeltaLocation,
  metadata: Metadata | undefined,
  listing: LogListing,
): Promise<void> {
  if (RETENTION.some((property) => metadata?.configuration[property] !== undefined)) return;
  for (const key of expiredFiles(listing)) await store.delete(key);
}

/**
 * The files of a log that may go, in the order in which they may. Two checkpoints stay, and every commit after the
 * older one; so do the commits of the newest days on which the table has committed. What is old is counted by what
 * the log has, and not by a clock: one that jumps ahead makes one day more.
 */
export function expiredFiles({ commits, checkpoints, checkpointFiles }: LogListing): string[] {
  const [older, newest] = checkpoints.slice(-2);
  if (older === undefined || newest === undefined) return [];
  const kept = Math.min(older.version, firstKept(commits, newest.bytes) ?? older.version);
  return [
    ...commits.filter(({ version }) => version < kept),
    ...checkpointFiles.filter(({ version }) => version < older.version),
  ]
    .sort((a, b) => a.version - b.version)
    .map(({ key }) => key);
}

/** The first version of those that lead up to the newest without a gap that stays for its day, or for being new. */
function firstKept(commits: LogListing["commits"], checkpointBytes: number): number | undefined {
  const days = new Set(commits.map(dayOf));
  const since = [...days].sort((a, b) => b - a)[KEPT_DAYS - 1] ?? Number.NEGATIVE_INFINITY;
  const mostBytes = Math.max(MOST_BYTES, MOST_CHECKPOINTS * checkpointBytes);
  const newest = commits.at(-1)?.version ?? 0;
  let first: number | undefined;
  let bytes = 0;
  for (const [at, commit] of commits.toReversed().entries()) {
    bytes += commit.size;
    if (commit.version !== newest - at || at >= MOST_VERSIONS || bytes > mostBytes) break;
    const isNew = at < FEW_VERSIONS && bytes <= FEW_BYTES;
    if (isNew || dayOf(commit) >= since) first = commit.version;
  }
  return first;
}

function dayOf({ modifiedAt }: { readonly modifiedAt: Date }): number {
  return Math.floor(modifiedAt.getTime() / DAY_MS);
}
