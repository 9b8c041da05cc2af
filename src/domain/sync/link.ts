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
  /** The first sequence of its rows. */
  readonly from: number;
  /** Ids that came in rows that were bad. */
  readonly bad: readonly string[];
  /** Whether it may remove any number of rows. */
  readonly full: boolean;
}

/** The committed state of a link that its pages start from. */
export interface LinkBase {
  readonly cursor: string | null;
  readonly external_id: string | null;
  readonly generation: number;
  readonly next_sequence: number;
  readonly head: string;
  readonly last_page_sha256: string | null;
  /** Whether a committed row of the link had a sign conflict. */
  readonly signs_differ: boolean;
  readonly resync?: OpenResync | undefined;
}

/** A link as the slice that found it staged it, so that no workflow history holds ids in bulk. */
export interface LinkRecord {
  readonly link_id: string;
  readonly fp_id: string;
  /** As the roster says; where it says none, as it said when the link was committed last. */
  readonly external_id: string | null;
  /** Null where nothing of the link was ever committed. */
  readonly base: LinkBase | null;
  /** The error that it is in, as `link_syncs` says it; left out for none. */
  readonly obstacle?: string;
  /** When the slice began: `link_syncs.started_at`. */
  readonly started_at: string;
}

interface StagedPage extends Place {
  /** Entries that it adds: 0 where it repeats the page before it. */
  readonly entries: number;
}

/** How far the reading of one link's update has come: where the next slice continues. */
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
  /** The failure of a link that is retried; only the first of a slice are named. */
  readonly failure?: NamedFailure | undefined;
}

/** What has its link's record beside it. */
export interface Recorded {
  readonly record: LinkRecord;
}

/** A link that has ended. One that its slice began and ended has no other record than this. */
export interface EndedLink extends Recorded {
  readonly stage: LinkEnd;
  readonly progress: Pick<LinkProgress, "pages" | "pagesSha256" | "restarts">;
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

/** The same reading with all its pages handed to loading. */
export function handedToLoading(progress: LinkProgress): LinkProgress {
  const { pages, entries } = progress;
  return { ...progress, staged: [], loaded: { pages, entries } };
}

/** The generation of the rows that a reading brings: a full one of a known link starts a new one. */
export function generationOf({ base }: LinkRecord, { mode }: Pick<LinkProgress, "mode">): number {
  if (base === null) return 1;
  return mode === "full" ? base.generation + 1 : base.generation;
}

/**
 * Whether the mark moves to the cursor of this page: after pages 1, 2, 4, 8 and so on. One hash so notices any loop of cursors
 * within a few rounds (Brent's algorithm).
 */
export function movesMark(page: number): boolean {
  return Number.isInteger(Math.log2(page));
}
