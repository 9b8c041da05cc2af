import { DAY, MINUTE } from "../../domain/duration.js";
import type { DeltaAction } from "../delta/delta-actions.js";
import type { Snapshot } from "../delta/delta-snapshot.js";

/** No `DATE` that a row may have is earlier. */
export const FIRST_DAY = "0001-01-01";

export interface ReadList {
  readonly fpId: string;
  /** Null for a list of a user. */
  readonly linkId: string | null;
}

/** A list that was read completely, without a bad row. */
export interface WholeList extends ReadList {
  readonly readAt: Date;
  /** Which part of the list was read, where it may be read in part. */
  readonly window?: ReadWindow;
}

export interface ReadWindow {
  /** The earliest day that was asked for; null for all of them. */
  readonly from: string | null;
  /** The day until which the service knew the list's rows; null where there were none. */
  readonly until: string | null;
  /** When its first page arrived. */
  readonly begunAt: Date;
}

/** A list that lacks rows: a window of it has brought the first rows of an account, and not those before the window. */
export interface ListHole extends ReadList {
  /** When the account was seen. */
  readonly seenAt: Date;
}

/** No answer is under way for so long, and clocks of workers differ by less. */
const MOST_APART = 10 * MINUTE;

/**
 * Names the transaction in a history's log whose version is the day, counted from 1970, until which the rows of a list are
 * known; while the list has a hole, the time of that in negative milliseconds. Without a time, no checkpoint drops it.
 */
const readingOf = ({ fpId, linkId }: ReadList) => `reading/${JSON.stringify([fpId, linkId])}`;

const dayNumber = (day: string) => Math.floor(Date.parse(day) / DAY);

/** Gives the day until which the rows of a list are known; null if no complete reading has seen them, or it has a hole. */
export function knownUntil({ txns }: Snapshot, list: ReadList): string | null {
  const day = txns.get(readingOf(list))?.version;
  return day === undefined || isHole(day) ? null : new Date(day * DAY).toISOString().slice(0, 10);
}

/** Gives the actions after which no list of a user is known any more, so that the next reading takes the whole of each. */
export function unreadActions({ txns }: Snapshot, fpId: string, at: number): DeltaAction[] {
  const ofUser = readingOf({ fpId, linkId: null }).replace(/null\]$/, "");
  const lists = [...txns.keys()].filter((name) => name.startsWith(ofUser));
  return lists.map((appId) => ({ txn: { appId, version: -at } }));
}

function isHole(version: number): boolean {
  return version < dayNumber(FIRST_DAY);
}

/**
 * Gives the actions that record complete readings of lists that are read by windows. Not recorded is a window that does not
 * reach back to what was known. A list with a hole is not known any more, until a reading of the whole of it that began
 * later; such a reading also puts back a day that a clock which ran ahead has set.
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

/** Whether a reading of a whole list began after its hole, if any, was seen. */
function fillsHole({ begunAt }: ReadWindow, version: number): boolean {
  const isFuture = -version > Date.now() + MOST_APART;
  return !isHole(version) || isFuture || begunAt.getTime() > MOST_APART - version;
}
