import type { DeltaAction } from "../delta/delta-actions.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { checkpointDomain, type LinkCheckpoint, linkCheckpoint } from "./link-checkpoint.js";

export interface LinkUpdate {
  readonly linkId: string;
  /** The head that its pages started from; null for a new link. */
  readonly baseHead: string | null;
  readonly checkpoint: LinkCheckpoint;
}

type HeadComparison =
  /** The head is the one that its pages started from. */
  | { readonly kind: "free" }
  /** This reading committed it already, and the answer was lost. */
  | { readonly kind: "committed"; readonly checkpoint: LinkCheckpoint }
  /** Another run committed the link meanwhile; null if the feed has lost its head. */
  | { readonly kind: "superseded"; readonly by: string | null };

/** Compares by head, never by the cursor's text (docs/inside/architecture.md, "Heads"). */
export function compareHead(feed: Snapshot, update: LinkUpdate): HeadComparison {
  const now = linkCheckpoint(feed, update.linkId);
  if (now !== undefined && isSameReading(now, update.checkpoint))
    return { kind: "committed", checkpoint: now };
  if ((now?.head ?? null) === update.baseHead) return { kind: "free" };
  return { kind: "superseded", by: now?.run_id ?? null };
}

function isSameReading(a: LinkCheckpoint, b: LinkCheckpoint): boolean {
  return a.run_id === b.run_id && a.attempt === b.attempt && a.reading === b.reading;
}

export function linkCheckpointActions(updates: readonly LinkUpdate[]): DeltaAction[] {
  return updates.map(({ linkId, checkpoint }) => ({
    domainMetadata: {
      domain: checkpointDomain(linkId),
      configuration: JSON.stringify(checkpoint),
      removed: false,
    },
  }));
}
