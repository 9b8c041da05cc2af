import { NO_CALLS, type SentCalls } from "../../counts.js";
import type { Phases } from "../../phases.js";
import type { Refusals } from "../../refusals.js";
import { allWaiting, type Waiting, type WaitingState, waitingState } from "../../waiting.js";
import type { BatchRunInput, RowToRun } from "./batch-rows.js";
import { type CustomerCounts, queuedRows } from "./batch-totals.js";

export interface BatchPause {
  readonly kind: "circuit" | "credentials" | "asked";
  readonly reason: string;
}

interface OutstandingRow extends RowToRun {
  /** Epoch milliseconds of the last sign of life. */
  readonly since: number;
  readonly waits?: Waiting | null;
}

/** Outstanding rows are a *set*: a report that comes twice must not lose or double one. */
export interface BatchState extends SentCalls {
  /** First row that is not planned. */
  readonly next: number;
  /** The file's rows, or the limit. */
  readonly upTo: number;
  readonly waiting: readonly RowToRun[];
  readonly outstanding: readonly OutstandingRow[];
  readonly counts: Readonly<Partial<CustomerCounts>>;
  readonly manualReview: number;
  /** Equal errors in a row, by their hash. */
  readonly circuit: { readonly message: string | null; readonly inARow: number };
  readonly refusals: readonly Refusals[];
  /** Of outputs that were missing at first. */
  readonly outputs: { readonly found: number; readonly missing: number };
  readonly paused: BatchPause | null;
  readonly cancelled: boolean;
  /** Why no outcome can be staged any more. */
  readonly lost: string | null;
  readonly resumes: number;
}

export const CLOSED_CIRCUIT: BatchState["circuit"] = { message: null, inARow: 0 };

export function newBatch(upTo: number): BatchState {
  return {
    next: 0,
    upTo,
    waiting: [],
    outstanding: [],
    counts: {},
    manualReview: 0,
    ...NO_CALLS,
    circuit: CLOSED_CIRCUIT,
    refusals: [],
    outputs: { found: 0, missing: 0 },
    paused: null,
    cancelled: false,
    lost: null,
    resumes: 0,
  };
}

export function customersOf({ next, upTo, waiting, outstanding, counts }: BatchState): CustomerCounts {
  const queued = upTo - next + waiting.length;
  return { ...queuedRows(upTo), ...counts, total: upTo, queued, running: outstanding.length };
}

export function waitingCustomers({ outstanding }: BatchState): WaitingState {
  const waiting = outstanding.flatMap(({ waits }) => waits ?? []);
  return allWaiting([{ ...waitingState([]), waiting, waiting_total: waiting.length }]);
}

export function isProcessed({ next, upTo, waiting, outstanding }: BatchState): boolean {
  return next >= upTo && waiting.length === 0 && outstanding.length === 0;
}

/** Undefined while enough are planned, or all. */
export function rowsToPlan(batch: BatchState, most: number): { from: number; to: number } | undefined {
  const { next, upTo, paused, cancelled, waiting } = batch;
  if (next >= upTo || (!cancelled && (paused !== null || waiting.length > 0))) return undefined;
  return { from: next, to: Math.min(upTo, next + most) };
}

/** Rows that ended without an output before a playbook counts as having none. */
const OUTPUTS_MISSED = 50;

/** Whether a missing output is worth asking for again: not of a playbook that never has one. */
export function areOutputsExpected({ outputs: { found, missing } }: BatchState): boolean {
  return found > 0 || missing < OUTPUTS_MISSED;
}

/** Rows by ranges of the file, as a plan is made for a range. */
export function rangesOf(
  rows: readonly RowToRun[],
  most: number,
  upTo: number,
): { from: number; to: number; only: number[] }[] {
  const starts = new Set(rows.map(({ row }) => row - (row % most)));
  return [...starts].map((from) => {
    const to = Math.min(upTo, from + most);
    const only = rows.map(({ row }) => row).filter((row) => row >= from && row < to);
    return { from, to, only };
  });
}

export interface OnboardBatchInput extends BatchRunInput {
  readonly carried?: BatchState;
  readonly phases?: Phases;
}
