import type { Attempted } from "../backoff.js";
import type { NamedFailure } from "../waiting.js";
import type { Place } from "./place.js";

/** How a link ended in a run: `link_syncs.status`. */
export type LinkStatus =
  | "synced"
  | "unchanged"
  | "still_reading"
  | "skipped"
  | "not_ready"
  | "failed"
  | "superseded";

/** A full resync that was committed in part. */
export interface OpenResync {
  readonly from: number;
  /** That came in bad rows. */
  readonly bad: readonly string[];
  /** Whether it may remove any number of rows. */
  readonly full: boolean;
}

/** The committed state that a link's pages start from. */
export interface LinkBase {
  readonly cursor: string | null;
  readonly external_id: string | null;
  readonly generation: number;
  readonly next_sequence: number;
  readonly head: string;
  readonly last_page_sha256: string | null;
  /** A committed row had a sign conflict. */
  readonly signs_differ: boolean;
  readonly resync?: OpenResync | undefined;
}

/** A link as the slice that found it staged it, so that no workflow history holds ids in bulk. */
export interface LinkRecord {
  readonly link_id: string;
  readonly fp_id: string;
  /** Where the roster has none, the one of its last commit. */
  readonly external_id: string | null;
  /** Null where nothing was ever committed. */
  readonly base: LinkBase | null;
  /** The error that it is in. */
  readonly obstacle?: string;
  /** `link_syncs.started_at` */
  readonly started_at: string;
}

interface StagedPage extends Place {
  /** 0 where it repeats the page before it. */
  readonly entries: number;
}

/** How far the reading of a link's update has come. */
export interface LinkProgress extends Attempted {
  /** Grows with every restart, resync or change of size: pages of an earlier one are never read again. */
  readonly attempt: number;
  /** `full` reads from no cursor: a first sync, a refused cursor, `--full`. */
  readonly mode: "incremental" | "full";
  /** Null leaves the parameter away. */
  readonly size: number | null;
  /** In this attempt; the index of the next one. */
  readonly pages: number;
  /** Of the next request. */
  readonly cursor: string | null;
  /** The last non-empty `next` of this update. */
  readonly lastNext: string | null;
  /** Hash of an earlier cursor of this attempt ({@link movesMark}). */
  readonly cursorMark: string | null;
  /** Pages in a row, up to the last one, that added nothing. */
  readonly idlePages?: number;
  /** Delivered in this attempt, bad ones included. */
  readonly entries: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly quarantined: number;
  readonly bytes: number;
  /** Rolling hash of the attempt's pages; empty before the first. */
  readonly pagesSha256: string;
  /** Of what the last page delivered, where the cursor did not move past it. */
  readonly lastPageSha256: string | null;
  /** Not handed to loading yet. */
  readonly staged: readonly StagedPage[];
  /** The next one may repeat it. */
  readonly lastPage: Place | null;
  /** Handed to loading. */
  readonly loaded: { readonly pages: number; readonly entries: number };
  /** In the middle of an update, in this run. */
  readonly restarts: number;
  /** The run ends it before its update has ended. */
  readonly stillReading?: true;
}

export interface LinkEnd {
  readonly status: LinkStatus;
  readonly reason: string | null;
}

/**
 * One reading of a bank link in a run. It begins as `reading`, in a slice, and an outcome takes it on (`link-reading.ts`):
 * it stays `reading`, for a later slice and not before `progress.notBefore`; it is `read`, then loaded and committed; it is
 * `not_ready`, and begins once more at the run's end; or it has ended, and of it only a row of `link_syncs` is written. The
 * slice that began it passes it on in its report where it is read or has ended, and to its run's workflow otherwise.
 */
export interface Link {
  /** Of its {@link LinkRecord}. */
  readonly link: Place;
  readonly stage: "reading" | "read" | "not_ready" | LinkEnd;
  readonly progress: LinkProgress;
  /** Of a link that is retried; only the first of a slice are named. */
  readonly failure?: NamedFailure | undefined;
}

export interface Recorded {
  readonly record: LinkRecord;
}

/** A link that has ended. One that its slice began and ended has no other record than this. */
export interface EndedLink extends Recorded {
  readonly stage: LinkEnd;
  readonly progress: Pick<LinkProgress, "pages" | "pagesSha256" | "restarts">;
}

/** Before the first page. */
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

/** Hands all pages to loading. */
export function handedToLoading(progress: LinkProgress): LinkProgress {
  const { pages, entries } = progress;
  return { ...progress, staged: [], loaded: { pages, entries } };
}

/** Numbers the rows that a reading brings: a full one of a known link starts a new generation. */
export function generationOf({ base }: LinkRecord, { mode }: Pick<LinkProgress, "mode">): number {
  if (base === null) return 1;
  return mode === "full" ? base.generation + 1 : base.generation;
}

/** Whether the mark moves to the cursor of this page: one hash notices any loop within a few rounds (Brent's algorithm). */
export function movesMark(page: number): boolean {
  return Number.isInteger(Math.log2(page));
}
