import type { BatchPause, OutcomeRef, RowToRun } from "./batch-rows.js";
import { type CustomerCounts, queuedRows } from "./batch-totals.js";
import { type Circuit, CLOSED_CIRCUIT } from "./circuit.js";

/** A row whose customer has not told its end. */
export interface OutstandingRow extends RowToRun {
  /** Epoch milliseconds since which nothing was heard of it. */
  readonly since: number;
}

/** A row that is planned and waits for room, or for its time. */
export interface WaitingRow extends RowToRun {
  /** Epoch milliseconds before which it is not started again. */
  readonly notBefore: number;
}

/** What a batch carries through continue-as-new. */
export interface CarriedBatch {
  /** First row that no plan was made for. */
  readonly next: number;
  /** Rows before this one are the batch's: the file's, or the limit's. */
  readonly upTo: number;
  readonly waiting: readonly WaitingRow[];
  readonly outstanding: readonly OutstandingRow[];
  readonly unrecorded: readonly OutcomeRef[];
  readonly counts: CustomerCounts;
  readonly manualReview: number;
  readonly calls: number;
  readonly circuit: Circuit;
  /** Of runs whose output was missing at first: how many wait for it, how often it came, and how often it didn't. */
  readonly outputs: { readonly awaited: number; readonly found: number; readonly missing: number };
  readonly paused: BatchPause | null;
  readonly cancelled: boolean;
  /** How often it was resumed. */
  readonly resumes: number;
  /** Number of the next file of outcomes. */
  readonly chunk: number;
}

/** A batch of so many rows of which none has begun. */
export function newBatch(upTo: number): CarriedBatch {
  return {
    next: 0,
    upTo,
    waiting: [],
    outstanding: [],
    unrecorded: [],
    counts: queuedRows(upTo),
    manualReview: 0,
    calls: 0,
    circuit: CLOSED_CIRCUIT,
    outputs: { awaited: 0, found: 0, missing: 0 },
    paused: null,
    cancelled: false,
    resumes: 0,
    chunk: 0,
  };
}
