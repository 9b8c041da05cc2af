import { DAY } from "../../domain/duration.js";
import type { DeltaAction } from "../delta/delta-actions.js";
import type { Snapshot } from "../delta/delta-snapshot.js";

/** A list that was read completely, without a bad row. */
export interface WholeList {
  readonly fpId: string;
  /** Null for a list of a user. */
  readonly linkId: string | null;
  readonly readAt: Date;
  /** Which part of the list was read, where it may be read in part. */
  readonly window?: ReadWindow;
}

/** The part of a list that was read. */
export interface ReadWindow {
  /** The earliest day that was asked for; null for all of them. */
  readonly from: string | null;
  /** The day until which the service knew the list's rows; null where there were none. */
  readonly until: string | null;
}

/**
 * Names the transaction in a history's log whose version is the day, counted from 1970, until which the last complete
 * reading of a list knew its rows. It has no time, so no checkpoint drops it.
 */
const readingOf = (fpId: string, linkId: string | null) => `reading/${JSON.stringify([fpId, linkId])}`;

/** Gives the day until which the last complete reading of a list knew its rows; null if there was none. */
export function knownUntil({ txns }: Snapshot, fpId: string, linkId: string | null): string | null {
  const day = txns.get(readingOf(fpId, linkId))?.version;
  return day === undefined ? null : new Date(day * DAY).toISOString().slice(0, 10);
}

/**
 * Gives the actions that record complete readings of lists that are read by windows. A window that does not reach back to
 * what was known, because the table was restored meanwhile, leaves a hole, so it is not recorded. A reading of the whole
 * list puts back a day that a clock which ran ahead has set.
 */
export function readingActions(history: Snapshot, lists: readonly WholeList[]): DeltaAction[] {
  const actions: DeltaAction[] = [];
  for (const { fpId, linkId, window } of lists) {
    if (window === undefined || window.until === null) continue;
    const known = knownUntil(history, fpId, linkId);
    const reachesBack = window.from === null || (known !== null && window.from <= known);
    const isNews = known === null || (window.from === null ? window.until !== known : window.until > known);
    if (!reachesBack || !isNews) continue;
    const version = Math.floor(Date.parse(window.until) / DAY);
    actions.push({ txn: { appId: readingOf(fpId, linkId), version } });
  }
  return actions;
}
