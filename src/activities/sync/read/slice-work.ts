import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import type { Place } from "../../../domain/sync/place.js";
import type { UserOutcome, UserProgress } from "../../../domain/sync/user-reading.js";
import type { NamedFailure } from "../../../domain/waiting.js";

/** Users of the frozen roster: from one index up to another. */
export interface UserRange {
  readonly from: number;
  readonly to: number;
}

/** Links that a report found and no slice has begun, by their numbers in it. */
export interface WaitingLinks {
  readonly report: Place;
  readonly from: number;
  readonly to: number;
}

/** A link that a slice has begun and not ended. */
export interface OpenLinkProgress {
  /** Of the link's record. */
  readonly link: Place;
  readonly progress: LinkProgress;
}

/** What a slice takes up. */
export interface SliceWork {
  readonly links: readonly OpenLinkProgress[];
  readonly waiting: readonly WaitingLinks[];
  /** Users who were asked for before. */
  readonly users: readonly UserProgress[];
  readonly fresh: UserRange | null;
}

export interface ReadSliceInput extends SliceWork {
  readonly runId: string;
  /** Number of the slice in its run: its attempts find each other's journals by it. */
  readonly slice: number;
  /** Users in one file of the frozen roster. */
  readonly groupSize: number;
  /** Names of the streams that the run reads. */
  readonly streams: readonly string[];
  /** Only these links, or all. */
  readonly only: readonly string[] | null;
  /** Whether every link is read from no cursor. */
  readonly full: boolean;
  /** Size of pages that links are begun with; null leaves the parameter away. */
  readonly size: number | null;
  /** Milliseconds after which no further page is asked for. */
  readonly budgetMs: number;
}

/** A user who was not read to the end. */
export interface UserResult {
  readonly progress: UserProgress;
  readonly outcome: UserOutcome;
  /** Whose failure it is; null for all others, so that no history holds people in bulk. */
  readonly failed: string | null;
  /** Of the first users whose pages could not be read, and are asked for again. */
  readonly failure?: NamedFailure;
}

/** A link that was begun and is not in the report. */
export interface LinkResult extends OpenLinkProgress {
  /** The committed cursor, and whether anything of the link was ever committed. */
  readonly base: { readonly cursor: string | null; readonly known: boolean };
  readonly outcome: LinkOutcome;
  /** Of the first links that failed and are tried again. */
  readonly failure?: NamedFailure;
}

/** A slice's report, and what its run counts of it. */
export interface ReportRef {
  readonly place: Place;
  /** Slices whose journals it refers to. */
  readonly slices: readonly number[];
  /** Links with nothing to load. */
  readonly quiet: number;
  readonly finished: {
    readonly links: number;
    readonly pages: number;
    readonly entries: number;
    readonly bytes: number;
  };
  readonly waiting: number;
}

export interface ReadSliceResult {
  /** Null where the slice has nothing to hand on in bulk. */
  readonly report: ReportRef | null;
  /** Users who were read to their end. */
  readonly usersRead: number;
  readonly users: readonly UserResult[];
  /** The first of the fresh users whom time did not suffice for, or the end of their range. */
  readonly reached: number;
  readonly links: readonly LinkResult[];
  /** Size of the pages that came last; left out where none came. */
  readonly size?: number | null | undefined;
  /** How many of the given waiting links were not begun: the last ones. */
  readonly notBegun: number;
  readonly calls: number;
  /** Epoch milliseconds until which the service asked for no calls at all. */
  readonly gateUntil: number | null;
  /** Epoch milliseconds. */
  readonly at: number;
}
