import type { DeltaAction } from "../../delta/delta-actions.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { checkpointAction, domainAction, linkCheckpoint } from "../link-checkpoint.js";

/** In the feed's log, beside the checkpoints, so that every commit knows. */
interface Forgotten {
  /** The first sequence of each that was not erased. */
  readonly links: Readonly<Record<string, number>>;
  /** A sync may read the person again. */
  readonly again: boolean;
}

const PREFIX = "nightledger.forgotten.";

function forgottenOf({ domains }: Snapshot, fpId: string): Forgotten | undefined {
  const text = domains.get(PREFIX + fpId);
  return text === undefined ? undefined : (JSON.parse(text) as Forgotten);
}

/** Whether a person was forgotten and must not be read. */
export function isForgotten(feed: Snapshot, fpId: string): boolean {
  return forgottenOf(feed, fpId)?.again === false;
}

/** Whether a person was ever forgotten, even where a sync may read it again. */
export function wasForgotten(feed: Snapshot, fpId: string): boolean {
  return forgottenOf(feed, fpId) !== undefined;
}

/** Lists what was erased: of each person and link, the rows before a sequence. */
export function* erasedLinks({ domains }: Snapshot) {
  for (const [name, text] of domains) {
    if (!name.startsWith(PREFIX)) continue;
    const fp_id = name.slice(PREFIX.length);
    const { links } = JSON.parse(text) as Forgotten;
    for (const [link_id, next_sequence] of Object.entries(links)) yield { fp_id, link_id, next_sequence };
  }
}

/**
 * Makes a person forgotten: the feed then has no rows of these links before their next sequence, and their next reading
 * begins from nothing.
 */
export function forgetting(feed: Snapshot, fpId: string, links: Iterable<string>): DeltaAction[] {
  const known: Record<string, number> = { ...forgottenOf(feed, fpId)?.links };
  const actions: DeltaAction[] = [];
  for (const link of links) {
    const checkpoint = linkCheckpoint(feed, link);
    if (checkpoint === undefined) continue;
    known[link] = checkpoint.next_sequence;
    const { resync: _, ...rest } = checkpoint;
    actions.push(checkpointAction({ ...rest, external_id: null, erased: true }));
  }
  return [...actions, domainAction(PREFIX + fpId, { links: known, again: false } satisfies Forgotten)];
}

/** Lets a sync read persons again. */
export function remembering(feed: Snapshot, fpIds: Iterable<string>): DeltaAction[] {
  return [...fpIds].map((fpId) =>
    domainAction(PREFIX + fpId, { links: {}, ...forgottenOf(feed, fpId), again: true } satisfies Forgotten),
  );
}
