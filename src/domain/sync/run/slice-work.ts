import type { CallGate, NamedFailure } from "../../waiting.js";
import type { SyncOptions } from "../job.js";
import type { LinkReading } from "../link-progress.js";
import type { LinkBase, LinkOutcome } from "../link-reading.js";
import type { Place } from "../place.js";
import type { UserOutcome, UserProgress } from "../user-reading.js";
import type { Range } from "./ranges.js";

/** Links that a report lists and no slice has begun, by their index in it. */
export interface WaitingLinks extends Range {
  readonly report: Place;
}

export interface SliceWork {
  /** Links that earlier slices left open. */
  readonly links: readonly LinkReading[];
  readonly waiting: readonly WaitingLinks[];
  readonly users: readonly UserProgress[];
  /** Users of the frozen roster whom no slice has begun. */
  readonly fresh: Range | null;
}

/** What a slice was given, under its number in its run: its attempts find each other's journals by it. */
export interface NumberedWork extends SliceWork {
  readonly slice: number;
}

export interface ReadSliceInput extends NumberedWork, Pick<SyncOptions, "streams" | "full"> {
  readonly runId: string;
  /** Users in one file of the frozen roster. */
  readonly groupSize: number;
  /** Only these links, or all. */
  readonly only: SyncOptions["links"];
  /** Days of a known list without a cursor that are read once more; left out where no such list is asked for. */
  readonly lookback?: number | undefined;
  /** Page size that links begin with; null leaves the parameter away. */
  readonly size: number | null;
  /** Milliseconds after which the slice requests no further page. */
  readonly budgetMs: number;
}

export interface UserResult {
  readonly progress: UserProgress;
  readonly outcome: UserOutcome;
  /** The `fp_id` of a user who failed; null for all others, so that no history holds people in bulk. */
  readonly failed: string | null;
  /** The failure of a user who is retried; only the first of a slice are named. */
  readonly failure?: NamedFailure;
}

/** A link that a slice began and did not put into its report. */
export interface LinkResult extends LinkReading {
  readonly base: LinkBase;
  readonly outcome: LinkOutcome;
  /** The failure of a link that is retried; only the first of a slice are named. */
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
  /** Bytes of the pages of lists without a cursor. */
  readonly observedBytes: number;
}

export interface ReadSliceResult extends CallGate {
  /** Null where the slice has nothing to hand on in bulk. */
  readonly report: ReportRef | null;
  readonly usersRead: number;
  readonly users: readonly UserResult[];
  /** The first fresh user whom the slice had no time for, or the end of their range. */
  readonly reached: number;
  readonly links: readonly LinkResult[];
  /** Size of the last pages that came; left out where none came. */
  readonly size?: number | null | undefined;
  /** How many of the given waiting links the slice did not begin: the last ones. */
  readonly notBegun: number;
  readonly calls: number;
  /** Names of fields that no column has; left out where there are none. */
  readonly newFields?: readonly string[];
  /** Epoch milliseconds. */
  readonly at: number;
}
