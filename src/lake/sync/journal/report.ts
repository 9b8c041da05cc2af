import type { EndedLink, Link, LinkBase, LinkRecord, Recorded } from "../../../domain/sync/link.js";
import { type Place, placeKey } from "../../../domain/sync/place.js";
import type { ReportRef } from "../../../domain/sync/run/slice-work.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { ObjectStore } from "../../store/object-store.js";
import { linkCheckpoint } from "../link-checkpoint.js";
import { type CleanedPlaces, type PageName, readValue } from "./journal.js";

/** Reads the state of a link that a reading starts from; null if the link was never committed. */
export function baseOf(feed: Snapshot, linkId: string): LinkBase | null {
  const checkpoint = linkCheckpoint(feed, linkId);
  if (checkpoint === undefined) return null;
  const { external_id, generation, next_sequence, head, resync, erased } = checkpoint;
  const { cursor, last_page_sha256 } = erased ? { cursor: null, last_page_sha256: null } : checkpoint;
  const signs_differ = checkpoint.signs_differ === true;
  const state = { cursor, external_id, generation, next_sequence, head, last_page_sha256, signs_differ };
  return { ...state, ...(resync && { resync }) };
}

/** Reads the records of links. @throws StagingLostError */
export async function withRecords<L extends { readonly link: Place }>(
  store: ObjectStore,
  runId: string,
  links: readonly L[],
): Promise<(L & Recorded)[]> {
  const recorded: (L & Recorded)[] = [];
  for (const one of links)
    recorded.push({ ...one, record: await readValue<LinkRecord>(store, runId, one.link) });
  return recorded;
}

/** Reads the records of some links, and of the finished ones of reports without those with certain keys. */
export async function linksToPublish(
  store: ObjectStore,
  runId: string,
  links: readonly Link[],
  reports: readonly { readonly report: Pick<ReportRef, "place">; readonly without?: readonly string[] }[],
): Promise<(Link & Recorded)[]> {
  const all = [...links];
  for (const { report, without = [] } of reports) {
    const { finished } = await readValue<SliceReport>(store, runId, report.place);
    all.push(...finished.filter(({ link }) => !without.includes(placeKey(link))));
  }
  return withRecords(store, runId, all);
}

/** A page of a user's links, accounts, or of another list without a cursor. */
export interface ObservedPage {
  readonly stream: string;
  readonly fp_id: string;
  /** Of the roster; left out where it says none. */
  readonly external_id?: string;
  readonly link_id: string | null;
  readonly page: number;
  /** Of a list that may be read in part: the earliest day that was requested, or null for all of them. */
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

/** What a slice passes on in bulk; the run's workflow only holds the report's place and some counts. */
export interface SliceReport {
  readonly observed: readonly ObservedPage[];
  /** Links with nothing to load. */
  readonly ended: readonly EndedLink[];
  /** Links that are read. */
  readonly finished: readonly Link[];
  /** Records of links that were found but not begun. */
  readonly waiting: readonly Place[];
}
