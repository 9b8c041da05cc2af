import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkBase } from "../../../domain/sync/link-reading.js";
import type { Place } from "../../../domain/sync/place.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { ObjectStore } from "../../store/object-store.js";
import { type LinkCheckpoint, linkCheckpoint } from "../link-checkpoint.js";
import { type CleanedPlaces, type PageName, readValue } from "./journal.js";

type LinkBaseState = Pick<
  LinkCheckpoint,
  "cursor" | "external_id" | "generation" | "next_sequence" | "head" | "last_page_sha256" | "resync"
> & {
  /** Whether a committed row of the link had a sign conflict. */
  readonly signs_differ: boolean;
};

/** A bank link as a slice found it. It is staged, so that no workflow history holds ids in bulk. */
export interface FoundLink {
  readonly link_id: string;
  readonly fp_id: string;
  /** As the roster says; where it says none, as it said when the link was committed last. */
  readonly external_id: string | null;
  readonly base: LinkBaseState | null;
  /** The error that it is in, as `link_syncs` says it; left out for none. */
  readonly obstacle?: string;
  /** When the slice began: `link_syncs.started_at`. */
  readonly started_at: string;
}

/** Reads the state of a link that a reading starts from; null if the link was never committed. */
export function baseOf(feed: Snapshot, linkId: string): LinkBaseState | null {
  const checkpoint = linkCheckpoint(feed, linkId);
  if (checkpoint === undefined) return null;
  const { external_id, generation, next_sequence, head, resync } = checkpoint;
  const { cursor, last_page_sha256 } = checkpoint.erased
    ? { cursor: null, last_page_sha256: null }
    : checkpoint;
  const signs_differ = checkpoint.signs_differ === true;
  const state = { cursor, external_id, generation, next_sequence, head, last_page_sha256, signs_differ };
  return { ...state, ...(resync && { resync }) };
}

/** Gives what the reading of a link depends on, without its ids. */
export function linkBase({ base, obstacle }: FoundLink): LinkBase {
  const known = { cursor: base?.cursor ?? null, known: base !== null };
  return {
    ...known,
    ...(base?.resync && { isResyncing: true as const }),
    ...(obstacle !== undefined && { obstacle }),
  };
}

/** Reads the records of links. @throws StagingLostError */
export async function withFound<L extends { readonly link: Place }>(
  store: ObjectStore,
  runId: string,
  links: readonly L[],
): Promise<(L & { readonly found: FoundLink })[]> {
  const known: (L & { readonly found: FoundLink })[] = [];
  for (const one of links) known.push({ ...one, found: await readValue<FoundLink>(store, runId, one.link) });
  return known;
}

/** Gives the generation of the rows that a reading brings: a full read of a known link starts a new one. */
export function generationOf({ base }: FoundLink, { mode }: Pick<LinkProgress, "mode">): number {
  if (base === null) return 1;
  return mode === "full" ? base.generation + 1 : base.generation;
}

/** A page of a user's links, accounts, or of another list without a cursor. */
export interface ObservedPage {
  readonly stream: string;
  readonly fp_id: string;
  /** Of the roster; left out where it says none. */
  readonly external_id?: string;
  readonly link_id: string | null;
  readonly page: number;
  /** Of a list that may be read in part: the earliest day that was asked for, or null for all of them. */
  readonly from?: string | null;
  /** The latest day of its rows; left out where they have none. */
  readonly newest?: string;
  readonly place: Place;
  readonly cleaned?: CleanedPlaces;
}

/** The pages that one slice staged of a list that is read page by page. */
export interface ListPages {
  /** Which list of the user it is, and which part of it. */
  readonly list: string;
  /** As in {@link PageName}: the list moved so often before. */
  readonly attempt: PageName["attempt"];
  readonly pages: readonly ObservedPage[];
  /** Of the rows on these pages. */
  readonly ids: readonly string[];
  /** Rows of the whole list, as its pages say. */
  readonly total?: number;
  /** The number of the page that follows. */
  readonly next: number | "end";
}

/** A link that the slice finished with nothing to load. */
export interface QuietLink extends FoundLink {
  readonly status: "unchanged" | "skipped";
  readonly reason: string | null;
  readonly pages: number;
  readonly pages_sha256: string | null;
}

interface FinishedLink {
  /** Of its {@link FoundLink}. */
  readonly link: Place;
  readonly progress: LinkProgress;
}

/** What a slice passes on in bulk; the run's workflow only holds the report's place and some counts. */
export interface SliceReport {
  readonly observed: readonly ObservedPage[];
  readonly quiet: readonly QuietLink[];
  readonly finished: readonly FinishedLink[];
  /** Links that were found but not begun: places of {@link FoundLink}. */
  readonly waiting: readonly Place[];
}
