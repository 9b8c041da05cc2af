import type { Attempted } from "../backoff.js";
import type { Place } from "./place.js";

interface StagedPage extends Place {
  /** Entries that it adds: 0 where it repeats the page before it. */
  readonly entries: number;
}

/** The state of the reading of one link's update: where the next slice continues. */
export interface LinkProgress extends Attempted {
  /** Grows with every restart, resync or change of size; pages of an earlier one are never read again. */
  readonly attempt: number;
  /** `full` reads from no cursor: a first sync, a refused cursor, `--full`. */
  readonly mode: "incremental" | "full";
  /** Page size to request; null leaves the parameter away. */
  readonly size: number | null;
  /** Pages staged in this attempt; the index of the next one. */
  readonly pages: number;
  /** What the next request sends; null sends none. */
  readonly cursor: string | null;
  /** The last non-empty `next` of this update. */
  readonly lastNext: string | null;
  /** Hash of an earlier cursor of this attempt, to notice cursors that loop ({@link movesMark}). */
  readonly cursorMark: string | null;
  /** Pages in a row, up to the last one, that added nothing; missing where none was read. */
  readonly idlePages?: number;
  /** Entries delivered in this attempt, bad ones included. */
  readonly entries: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly quarantined: number;
  /** Bytes staged in this attempt. */
  readonly bytes: number;
  /** Rolling hash of the attempt's pages (docs/use/tables.md, "Certificate"); empty before the first. */
  readonly pagesSha256: string;
  /** Hash of what the last page delivered, kept where the cursor did not move past it. */
  readonly lastPageSha256: string | null;
  /** Pages that were not handed to loading yet. */
  readonly staged: readonly StagedPage[];
  /** The last page of this attempt, which the next one may repeat. */
  readonly lastPage: Place | null;
  /** Pages and entries that were handed to loading. */
  readonly loaded: { readonly pages: number; readonly entries: number };
  /** Restarts in the middle of an update, in this run. */
  readonly restarts: number;
  /** Whether the run ends it before its update has ended; left out otherwise. */
  readonly stillReading?: true;
}

/** A link by the place of its record, and how far its reading is. */
export interface LinkReading {
  readonly link: Place;
  readonly progress: LinkProgress;
}

/** A link's reading before its first page. */
export function freshProgress(cursor: string | null, size: number | null, full: boolean): LinkProgress {
  return {
    attempt: 0,
    mode: full || cursor === null ? "full" : "incremental",
    size,
    pages: 0,
    cursor: full ? null : cursor,
    lastNext: null,
    cursorMark: null,
    entries: 0,
    created: 0,
    updated: 0,
    removed: 0,
    quarantined: 0,
    bytes: 0,
    pagesSha256: "",
    lastPageSha256: null,
    staged: [],
    lastPage: null,
    loaded: { pages: 0, entries: 0 },
    restarts: 0,
    streak: null,
    notBefore: 0,
  };
}

/** The same link's next attempt: nothing of the earlier one counts any more. */
export function nextAttempt(
  { attempt, mode, restarts, streak }: LinkProgress,
  { cursor, size, full }: { cursor: string | null; size: number | null; full: boolean },
): LinkProgress {
  const fresh = freshProgress(cursor, size, full);
  return { ...fresh, mode: full ? "full" : mode, attempt: attempt + 1, restarts, streak };
}

/** The same reading with all its pages handed to loading. */
export function handedToLoading(progress: LinkProgress): LinkProgress {
  const { pages, entries } = progress;
  return { ...progress, staged: [], loaded: { pages, entries } };
}

/**
 * Whether the mark moves to the cursor of this page: after pages 1, 2, 4, 8 and so on. One hash so notices any loop of cursors
 * within a few rounds (Brent's algorithm).
 */
export function movesMark(page: number): boolean {
  return Number.isInteger(Math.log2(page));
}
