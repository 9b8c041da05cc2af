import type { SentCalls } from "../../counts.js";
import type { Unauthorized } from "../../failures.js";
import type { CallGate, NamedFailure } from "../../waiting.js";
import type { SyncOptions } from "../job.js";
import type { Link } from "../link.js";
import type { Place } from "../place.js";
import type { Failure } from "../sync-totals.js";
import type { UserProgress } from "../user-reading.js";

/** By their index in a report: no slice has begun them. */
export interface WaitingLinks extends Range {
  readonly report: Place;
}

export interface OpenUser {
  readonly progress: UserProgress;
  readonly failure?: NamedFailure | undefined;
}

/** What a slice works on. */
export interface SliceWork {
  /** In the run; the slice's attempts find each other's journals by it. */
  readonly slice: number;
  readonly links: readonly Link[];
  readonly waiting: readonly WaitingLinks[];
  readonly users: readonly UserProgress[];
  /** Nobody has begun them. */
  readonly fresh: Range | null;
}

export interface ReadSliceInput extends SliceWork, Omit<SyncOptions, "links"> {
  readonly runId: string;
  readonly groupSize: number;
  readonly only: SyncOptions["links"];
  /** Of links that begin. */
  readonly size: number | null;
  /** After that the slice requests no further page. */
  readonly budgetMs: number;
}

/** A report, and what its run counts of it. */
export interface ReportRef {
  readonly place: Place;
  /** Their journals hold what it refers to. */
  readonly slices: readonly number[];
  /** They have nothing to load. */
  readonly ended: number;
  readonly finished: {
    readonly links: number;
    readonly pages: number;
    readonly entries: number;
    readonly bytes: number;
  };
  readonly waiting: number;
  /** Of lists without a cursor. */
  readonly observedBytes: number;
}

export interface ReadSliceResult extends CallGate, SentCalls {
  readonly report: ReportRef | null;
  readonly usersRead: number;
  /** Among them. */
  readonly usersForgotten?: number;
  readonly users: readonly OpenUser[];
  /** Of all others no history holds names. */
  readonly failed: readonly Failure[];
  /** The first fresh user whom the slice had no time for. */
  readonly reached: number;
  /** Not in its report. */
  readonly links: readonly Link[];
  readonly unauthorized: Unauthorized;
  /** Of the last pages that came. */
  readonly size?: number | null | undefined;
  /** Of the waiting links, the last ones. */
  readonly notBegun: number;
  /** Left out where a run has one worker. */
  readonly worker?: string | undefined;
  /** No column has them. */
  readonly newFields?: readonly string[];
  readonly at: number;
}

/** From one number up to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Cuts ranges after the first `count` things. */
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
