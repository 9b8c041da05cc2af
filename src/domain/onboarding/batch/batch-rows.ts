import type { Refusals, RefusedRequest } from "../../refusals.js";
import type { OutcomeName } from "../outcome.js";
import { type CustomerCounts, queuedRows } from "./batch-totals.js";
import { type Circuit, CLOSED_CIRCUIT } from "./circuit.js";

/** An outcome that is staged and is to be written: its name and the row's place in the file. */
export type OutcomeRef = OutcomeName & { readonly row: number };

/** A row that is to run, as its batch knows it: by number and by hashes. */
export interface RowToRun {
  /** Place in the file, from 0. */
  readonly row: number;
  readonly line: number;
  /** From 1; one more with every `runs retry`. */
  readonly attempt: number;
  /** Hash of whom it is about: part of the customer's workflow id. */
  readonly identity: string;
  readonly rowKey: string;
  /** Whether the vault must be written, documents uploaded or a business made before the onboarding. */
  readonly prepare: boolean;
  /** The outcome of an earlier command that is not settled; null where nothing was posted. */
  readonly open: OpenOutcome | null;
  /** A `runs retry` of the row posts anew; otherwise a row is posted once, whatever batch it is in. */
  readonly retry: boolean;
  /** The onboarding of the attempt before: never taken for that of this one. */
  readonly before: string | null;
}

/** An outcome that stands for the row and may still change. */
export interface OpenOutcome {
  readonly onboardingId: string;
  readonly status: string;
  readonly requiresManualReview: boolean;
  readonly version: number;
}

/** A row that has its outcome without running: wrong, posted before, or cancelled before it began. */
export interface EndedRow {
  readonly status: string;
  readonly requiresManualReview: boolean;
  /** The outcome to be written; null where it stands in the table already. */
  readonly record: OutcomeRef | null;
}

/** What is to become of a chunk of rows. */
export interface ChunkPlan {
  readonly run: readonly RowToRun[];
  readonly ended: readonly EndedRow[];
  /** Outcomes of rows that run, to be written meanwhile. */
  readonly staged: readonly OutcomeRef[];
}

/** What a customer tells its batch. */
export type CustomerReport =
  /** The row is processed. */
  | {
      readonly kind: "done";
      readonly row: number;
      readonly status: string;
      readonly requiresManualReview: boolean;
      readonly record: OutcomeRef | null;
      readonly calls: number;
      /** Hash of the error message it ended with; null without one. */
      readonly messageHash: string | null;
      /** The request that the service refused, where it ended by that. */
      readonly refused?: RefusedRequest;
      /** Its output was missing and is asked for again: an `output` report follows. */
      readonly outputAwaited: boolean;
    }
  /** The service refused the credentials; nothing was posted, and the row is to be run again. */
  | { readonly kind: "requeued"; readonly row: number; readonly calls: number }
  /** The same, but an onboarding is posted and goes on. */
  | { readonly kind: "refused"; readonly row: number; readonly calls: number }
  /** The customer was busy for another row, and is free now: the row is to be planned again. */
  | { readonly kind: "free"; readonly row: number }
  /** Whether the output that was missing at first came after all. */
  | { readonly kind: "output"; readonly found: boolean; readonly calls: number };

/** Why a batch stands still. */
export interface BatchPause {
  readonly kind: "circuit" | "credentials" | "asked";
  readonly reason: string;
}

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
  /** What the service refused; left out, nothing. */
  readonly refusals?: readonly Refusals[];
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
