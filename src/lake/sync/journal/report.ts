import type { EndedLink, Link, LinkBase, LinkRecord, Recorded } from "../../../domain/sync/link.js";
import { type Place, placeKey } from "../../../domain/sync/place.js";
import type { ReportRef } from "../../../domain/sync/run/slice-work.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { ObjectStore } from "../../store/object-store.js";
import { linkCheckpoint } from "../link-checkpoint.js";
import { type CleanedPlaces, type PageName, readValue } from "./journal.js";

/** Reads what a link's reading starts from; null if it was never committed. */
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

/**
 * Reads the records of some links, and of the finished ones of reports.
 * @param reports `without` has keys of links to leave out
 */
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

/** Of a list without a cursor. */
export interface ObservedPage {
  readonly stream: string;
  readonly fp_id: string;
  /** Of the roster. */
  readonly external_id?: string;
  readonly link_id: string | null;
  readonly page: number;
  /** The earliest day requested, null for all; only of a list that may be read in part. */
  readonly from?: string | null;
  /** The latest day of its rows. */
  readonly newest?: string;
  readonly place: Place;
  readonly cleaned?: CleanedPlaces;
}

/** What one slice staged of a list. */
export interface ListPages {
  /** Of the user, and which part of it. */
  readonly list: string;
  /** The list moved so often before. */
  readonly attempt: PageName["attempt"];
  readonly pages: readonly ObservedPage[];
  readonly ids: readonly string[];
  /** Of the whole list. */
  readonly total?: number;
  readonly next: number | "end";
}

/** What a slice passes on in bulk: the workflow only holds its place and some counts. */
export interface SliceReport {
  readonly observed: readonly ObservedPage[];
  /** They have nothing to load. */
  readonly ended: readonly EndedLink[];
  /** They are read. */
  readonly finished: readonly Link[];
  /** Records of links that are not begun. */
  readonly waiting: readonly Place[];
}
