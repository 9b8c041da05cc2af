import type { SentCalls } from "../../counts.js";
import type { Unauthorized } from "../../failures.js";
import type { CallGate, NamedFailure } from "../../waiting.js";
import type { SyncOptions } from "../job.js";
import type { Link } from "../link.js";
import type { Place } from "../place.js";
import type { Failure } from "../sync-totals.js";
import type { UserProgress } from "../user-reading.js";

/** Links that a report lists and no slice has begun, by their index in it. */
export interface WaitingLinks extends Range {
  readonly report: Place;
}

/** A user who waits for another try. */
export interface OpenUser {
  readonly progress: UserProgress;
  /** Only the first of a slice are named. */
  readonly failure?: NamedFailure | undefined;
}

/** What a slice works on. */
export interface SliceWork {
  /** Its number in the run: its attempts find each other's journals by it. */
  readonly slice: number;
  readonly links: readonly Link[];
  readonly waiting: readonly WaitingLinks[];
  readonly users: readonly UserProgress[];
  /** Users of the frozen roster whom no slice has begun. */
  readonly fresh: Range | null;
}

export interface ReadSliceInput extends SliceWork, Omit<SyncOptions, "links"> {
  readonly runId: string;
  /** Users in one file of the frozen roster. */
  readonly groupSize: number;
  /** Only these links, or all. */
  readonly only: SyncOptions["links"];
  /** Page size that links begin with; null leaves the parameter away. */
  readonly size: number | null;
  /** Milliseconds after which the slice requests no further page. */
  readonly budgetMs: number;
}

/** A slice's report, and what its run counts of it. */
export interface ReportRef {
  readonly place: Place;
  /** Slices whose journals it refers to. */
  readonly slices: readonly number[];
  /** Links with nothing to load. */
  readonly ended: number;
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

export interface ReadSliceResult extends CallGate, SentCalls {
  /** Null where the slice has nothing to hand on in bulk. */
  readonly report: ReportRef | null;
  readonly usersRead: number;
  /** Of them: users who were forgotten; left out where there are none. */
  readonly usersForgotten?: number;
  readonly users: readonly OpenUser[];
  /** Users who failed: of all others no history holds names. */
  readonly failed: readonly Failure[];
  /** The first fresh user whom the slice had no time for, or the end of their range. */
  readonly reached: number;
  /** Links that it did not put into its report. */
  readonly links: readonly Link[];
  readonly unauthorized: Unauthorized;
  /** Size of the last pages that came; left out where none came. */
  readonly size?: number | null | undefined;
  /** How many of the given waiting links the slice did not begin: the last ones. */
  readonly notBegun: number;
  /** Names the worker that read it; left out where a run has one worker. */
  readonly worker?: string | undefined;
  /** Names of fields that no column has; left out where there are none. */
  readonly newFields?: readonly string[];
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Numbered things, from one number up to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** How many things some ranges hold. */
export function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Cuts ranges in two: the first `count` things, and the rest. */
export function splitRanges<R extends Range>(ranges: readonly R[], count: number): [first: R[], rest: R[]] {
  const first: R[] = [];
  const rest: R[] = [];
  let left = Math.max(0, count);
  for (const range of ranges) {
    const middle = Math.min(range.to, range.from + left);
    if (range.from < middle) first.push({ ...range, to: middle });
    if (middle < range.to) rest.push({ ...range, from: middle });
    left -= middle - range.from;
  }
  return [first, rest];
}
