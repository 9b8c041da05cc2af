import type { DeltaAction } from "../delta/delta-actions.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { domainName, type LinkDomain, linkDomain } from "./link-checkpoint.js";

/** A link's update as a group wants to commit it. */
export interface LinkUpdate {
  readonly linkId: string;
  /** The head that its pages started from; null for a new link. */
  readonly baseHead: string | null;
  readonly domain: LinkDomain;
}

/** How a link's update stands against a state of the feed. */
type Standing =
  /** The head is the one its pages started from. */
  | { readonly kind: "free" }
  /** This very reading committed it already: an answer was lost. */
  | { readonly kind: "committed"; readonly domain: LinkDomain }
  /** Another run committed the link meanwhile; null where the feed has lost its head. */
  | { readonly kind: "superseded"; readonly by: string | null };

/** Compare-and-swap by head, never by the cursor's text (docs/inside/architecture.md, "Heads"). */
export function standing(snapshot: Snapshot, update: LinkUpdate): Standing {
  const now = linkDomain(snapshot, update.linkId);
  if (now !== undefined && isSameReading(now, update.domain)) return { kind: "committed", domain: now };
  if ((now?.head ?? null) === update.baseHead) return { kind: "free" };
  return { kind: "superseded", by: now?.run_id ?? null };
}

function isSameReading(a: LinkDomain, b: LinkDomain): boolean {
  return a.run_id === b.run_id && a.attempt === b.attempt && a.reading === b.reading;
}

/** The actions that make updates the links' state. */
export function domainActions(updates: readonly LinkUpdate[]): DeltaAction[] {
  return updates.map(({ linkId, domain }) => ({
    domainMetadata: { domain: domainName(linkId), configuration: JSON.stringify(domain), removed: false },
  }));
}
