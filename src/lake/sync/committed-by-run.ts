import type { Snapshot } from "../delta/delta-snapshot.js";
import { linkCheckpoints } from "./link-checkpoint.js";

export interface CommittedByRun {
  /** Links with committed rows. */
  readonly synced: number;
  /** Links of which only the cursor was committed. */
  readonly unchanged: number;
  readonly created: number;
  readonly updated: number;
  /** Inferred ones included. */
  readonly removed: number;
  readonly pages: number;
  /** Ids of both kinds of link. */
  readonly links: ReadonlySet<string>;
}

/** Counts what a run has committed, by the links' checkpoints in the feed's log: they are never ahead of its rows. */
export function committedByRun(feed: Snapshot, runId: string): CommittedByRun {
  const counts = { synced: 0, unchanged: 0, created: 0, updated: 0, removed: 0, pages: 0 };
  const links = new Set<string>();
  for (const [link, { run_id, created, updated, removed, pages }] of linkCheckpoints(feed)) {
    if (run_id !== runId) continue;
    links.add(link);
    counts[created + updated + removed > 0 ? "synced" : "unchanged"] += 1;
    counts.created += created;
    counts.updated += updated;
    counts.removed += removed;
    counts.pages += pages;
  }
  return { ...counts, links };
}
