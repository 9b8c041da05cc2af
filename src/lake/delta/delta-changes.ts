import type { AddFile } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import { readCommit } from "./delta-log.js";

/** A file that a version brought new rows in. */
export interface ChangedFile {
  readonly version: number;
  readonly add: AddFile;
}

/**
 * The files that brought new rows in the versions after `fromExclusive`, in their order; undefined where one of these
 * versions can't be read any more or took rows away, and the caller must start from the live files.
 */
export async function changesBetween(
  location: DeltaLocation,
  fromExclusive: number,
  toInclusive: number,
): Promise<ChangedFile[] | undefined> {
  const changed: ChangedFile[] = [];
  for (let version = fromExclusive + 1; version <= toInclusive; version += 1) {
    const commit = await readCommit(location, version);
    if (commit === undefined) return undefined;
    for (const action of commit.actions) {
      if ("remove" in action && action.remove.dataChange) return undefined;
      if ("add" in action && action.add.dataChange) changed.push({ version, add: action.add });
    }
  }
  return changed;
}
