import { DAY, MINUTE } from "../../domain/duration.js";
import type { DeltaAction } from "../delta/delta-actions.js";
import type { Snapshot } from "../delta/delta-snapshot.js";

/** No row's `DATE` is earlier. */
export const FIRST_DAY = "0001-01-01";

export interface ReadList {
  readonly fpId: string;
  /** Null for a user's list. */
  readonly linkId: string | null;
}

/** Without a bad row. */
export interface WholeList extends ReadList {
  readonly readAt: Date;
  /** The part that was read. */
  readonly window?: ReadWindow;
}

export interface ReadWindow {
  /** The earliest day requested; null for all. */
  readonly from: string | null;
  /** The day of the list's newest row; null for none. */
  readonly until: string | null;
  /** When its first page arrived. */
  readonly begunAt: Date;
}

/** A window brought the first rows of an account, and not those before the window. */
export interface ListHole extends ReadList {
  readonly seenAt: Date;
}

/** No answer takes longer, and workers' clocks differ by less. */
const MOST_APART = 10 * MINUTE;

/**
 * A transaction whose version is the day, since 1970, up to which a list is known; for a list with a hole its time in
 * negative milliseconds. Without a time, no checkpoint drops it.
 */
const readingOf = ({ fpId, linkId }: ReadList) => `reading/${JSON.stringify([fpId, linkId])}`;

const dayNumber = (day: string) => Math.floor(Date.parse(day) / DAY);

/** The day up to which a list is known; null if it was never read completely, or has a hole. */
export function knownUntil({ txns }: Snapshot, list: ReadList): string | null {
  const day = txns.get(readingOf(list))?.version;
  return day === undefined || isHole(day) ? null : new Date(day * DAY).toISOString().slice(0, 10);
}

/** Forgets a user's lists, so that the next reading takes them whole. */
export function unreadActions({ txns }: Snapshot, fpId: string, at: number): DeltaAction[] {
  const ofUser = readingOf({ fpId, linkId: null }).replace(/null\]$/, "");
  const lists = [...txns.keys()].filter((name) => name.startsWith(ofUser));
  return lists.map((appId) => ({ txn: { appId, version: -at } }));
}

function isHole(version: number): boolean {
  return version < dayNumber(FIRST_DAY);
}

/**
 * Records complete readings of windowed lists, except of windows that don't reach back to what is known. A list with a
 * hole is known again after a later reading of the whole, which also corrects a day that a fast clock has set.
 */
export function readingActions(
  history: Snapshot,
  lists: readonly WholeList[],
  holes: readonly ListHole[],
): DeltaAction[] {
  const versions = new Map<string, number>();
  const versionOf = (list: ReadList) =>
    versions.get(readingOf(list)) ?? history.txns.get(readingOf(list))?.version ?? 0;
  for (const hole of holes) {
    versions.set(readingOf(hole), Math.min(versionOf(hole), -hole.seenAt.getTime()));
  }
  for (const list of lists) {
    const { window } = list;
    if (window === undefined || window.until === null) continue;
    const known = knownUntil(history, list);
    const reachesBack =
      window.from === null ? fillsHole(window, versionOf(list)) : known !== null && window.from <= known;
    const isNews = known === null || (window.from === null ? window.until !== known : window.until > known);
    if (reachesBack && isNews && !versions.has(readingOf(list)))
      versions.set(readingOf(list), dayNumber(window.until));
  }
  return [...versions].map(([appId, version]): DeltaAction => ({ txn: { appId, version } }));
}

function fillsHole({ begunAt }: ReadWindow, version: number): boolean {
  const isFuture = -version > Date.now() + MOST_APART;
  return !isHole(version) || isFuture || begunAt.getTime() > MOST_APART - version;
}
