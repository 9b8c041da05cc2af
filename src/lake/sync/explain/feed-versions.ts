import type { AddFile } from "../../delta/delta-actions.js";
import { readCommit } from "../../delta/delta-log.js";
import type { DeltaLocation } from "../../delta/delta-path.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { checkpointDomain, type LinkCheckpoint } from "../link-checkpoint.js";

/** The commit of the feed that carries one update of a link. */
export interface UpdateCommit {
  readonly version: number;
  readonly files: readonly AddFile[];
}

/**
 * Finds the commits that carry the updates of some runs of a link, by run: each also sets the link's checkpoint. It walks
 * back through the log, as far as that reaches, until it has all of them.
 */
export async function updateCommits(
  feed: DeltaLocation,
  { version: newest }: Snapshot,
  link: string,
  runs: ReadonlySet<string>,
): Promise<Map<string, UpdateCommit>> {
  const found = new Map<string, UpdateCommit>();
  const domain = checkpointDomain(link);
  for (let version = newest; version >= 0 && found.size < runs.size; version -= 1) {
    const commit = await readCommit(feed, version);
    if (commit === undefined) break;
    for (const action of commit.actions) {
      if (!("domainMetadata" in action) || action.domainMetadata.domain !== domain) continue;
      const { run_id } = JSON.parse(action.domainMetadata.configuration) as LinkCheckpoint;
      const files = commit.actions.flatMap((one) => ("add" in one ? [one.add] : []));
      if (runs.has(run_id)) found.set(run_id, { version, files });
    }
  }
  return found;
}

/** Finds the version of a table that added a file, and whether it only moved rows; undefined if the log no longer has it. */
export async function addedIn(
  log: DeltaLocation,
  { version: newest }: Snapshot,
  path: string,
): Promise<{ readonly version: number; readonly moved: boolean } | undefined> {
  for (let version = newest; version >= 0; version -= 1) {
    const commit = await readCommit(log, version);
    if (commit === undefined) return undefined;
    for (const action of commit.actions) {
      if ("add" in action && action.add.path === path) return { version, moved: !action.add.dataChange };
    }
  }
  return undefined;
}
