import { DAY } from "../../domain/duration.js";
import type { Commit, Snapshot } from "../delta/delta-snapshot.js";
import { newestDays } from "../delta/log-listing.js";
import type { ObjectEntry } from "../store/object-store.js";

/**
 * Gives the instant before which things are old enough to go: so many days ago, and before as many of the newest days on
 * which the lake was written. A clock that jumps ahead is one more such day, and the days on which a machine was off are
 * none, so a run that continues after them still finds its files.
 */
export function oldBefore(snapshots: Iterable<Snapshot>, days: number, now: number): number {
  const times: number[] = [];
  for (const { files, tombstones, txns } of snapshots) {
    for (const { modificationTime } of files.values()) times.push(modificationTime);
    for (const { deletionTimestamp } of tombstones.values()) times.push(deletionTimestamp ?? now);
    for (const { lastUpdated } of txns.values()) times.push(lastUpdated ?? now);
  }
  return Math.min(newestDays(times, days + 1), now - days * DAY);
}

/** A table's directory, judged. */
interface JudgedFiles {
  /** The newest version refers to them. */
  readonly live: readonly ObjectEntry[];
  /** A version within the retention refers to them, or they are young: a commit may be about to. */
  readonly kept: readonly ObjectEntry[];
  readonly unneeded: readonly ObjectEntry[];
  /** Files that no table of ours has; they stay. */
  readonly unknown: readonly ObjectEntry[];
}

/**
 * Decides which data files of a table may go: those that no version since an instant refers to and that were written
 * before it. Pure.
 *
 * @param recent the commits since then that the log still has
 * @param keyOf gives the key of a path in the log
 */
export function judgeFiles(
  entries: readonly ObjectEntry[],
  { files, tombstones }: Pick<Snapshot, "files" | "tombstones">,
  recent: readonly Commit[],
  before: number,
  keyOf: (path: string) => string,
): JudgedFiles {
  const live = new Set([...files.keys()].map(keyOf));
  const named = new Set<string>();
  for (const { path, deletionTimestamp } of tombstones.values())
    if ((deletionTimestamp ?? before) >= before) named.add(keyOf(path));
  for (const action of recent.flatMap(({ actions }) => actions)) {
    if ("add" in action) named.add(keyOf(action.add.path));
    else if ("remove" in action) named.add(keyOf(action.remove.path));
  }
  const judged = { live: [], kept: [], unneeded: [], unknown: [] } as Record<
    keyof JudgedFiles,
    ObjectEntry[]
  >;
  for (const entry of entries) {
    const { key, modifiedAt } = entry;
    if (live.has(key)) judged.live.push(entry);
    else if (!isDataFile(key)) judged.unknown.push(entry);
    else if (named.has(key) || modifiedAt.getTime() >= before) judged.kept.push(entry);
    else judged.unneeded.push(entry);
  }
  return judged;
}

/** Whether a key may be that of a table's data file. No table has directories: what is in one is somebody's own, such as a copy. */
export function isDataFile(key: string): boolean {
  return /^[^/]+\/[^/_.][^/]*\.parquet$/.test(key);
}
