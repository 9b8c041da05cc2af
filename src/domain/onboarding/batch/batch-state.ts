import { NO_CALLS, type SentCalls } from "../../counts.js";
import type { Unauthorized } from "../../failures.js";
import type { Phases } from "../../phases.js";
import type { Refusals, RefusedRequest } from "../../refusals.js";
import type { NewRun } from "../../run.js";
import { allWaiting, type Waiting, type WaitingState, waitingState } from "../../waiting.js";
import type { OnboardingTiming } from "../timing.js";
import type { Verdict } from "../verdict.js";
import { type CustomerCounts, queuedRows } from "./batch-totals.js";

/** A row that is to run, without personal data. */
export interface RowToRun {
  /** In the file, from 0. */
  readonly row: number;
  readonly line: number;
  /** From 1; one more with every `runs retry`. */
  readonly attempt: number;
  readonly rowKey: string;
  /** Of its open row: {@link customerKey}. */
  readonly key: string;
  /** Whether it needs a vault, documents or a business first. */
  readonly prepare: boolean;
  /** An earlier command's outcome that may still change. */
  readonly open: OpenOutcome | null;
  /** Post again; otherwise a row is posted once, in whatever batch. */
  readonly retry: boolean;
  /** The previous attempt's onboarding: never this attempt's. */
  readonly before: string | null;
}

export interface CustomerInput
  extends RowToRun,
    Pick<BatchRunInput, "batchId" | "runId" | "syncTimeoutSecs" | "plainOutput" | "timing"> {
  readonly batchWorkflowId: string;
  /** Of credentials: refused ones stop all calls of their epoch; a resumed batch begins another. */
  readonly authEpoch: string;
  readonly startedAt: string;
  readonly outputExpected: boolean;
}

export type CustomerRef = Pick<
  CustomerInput,
  "batchId" | "row" | "line" | "attempt" | "rowKey" | "retry" | "before"
>;

/** An outcome that may still change. */
export interface OpenOutcome extends Verdict {
  readonly onboardingId: string;
  readonly version: number;
}

export interface ChunkPlan {
  readonly run: readonly RowToRun[];
  /** Without running. */
  readonly ended: readonly Verdict[];
}

export interface DoneReport extends Verdict, SentCalls {
  readonly kind: "done";
  readonly row: number;
  readonly messageHash: string | null;
  readonly refused?: RefusedRequest;
  /** Of an output that was missing at first. */
  readonly outputCame?: boolean;
}

/** The service refused the key. `requeued`: nothing was posted, and the row must run again. */
interface KeyReport extends SentCalls {
  readonly kind: "requeued" | "refused";
  readonly row: number;
  readonly unauthorized?: Unauthorized;
}

export type CustomerReport =
  | DoneReport
  | KeyReport
  /** Whether its request was lost; null once its effect is known. */
  | { readonly kind: "waits"; readonly row: number; readonly waits: Waiting | null }
  /** The batch's staging is gone. */
  | { readonly kind: "lost"; readonly row: number; readonly runId: string; readonly message: string };

/** What a batch's workflow is started with; nothing personal. */
export interface BatchRunInput extends NewRun {
  readonly batchId: string;
  readonly scope: string;
  readonly upTo: number;
  /** Seconds for a decision; null where it comes later (docs/reference/service.md, "Onboarding creation"). */
  readonly syncTimeoutSecs: number | null;
  readonly window: number;
  /** Equal errors in a row that pause the batch; 0 for never. */
  readonly circuit: number;
  readonly retry: boolean;
  /** Whether `output` is in the table in the clear. */
  readonly plainOutput: boolean;
  readonly timing: OnboardingTiming;
  /** Customers after which it continues as new; left out, a few hundred. */
  readonly startsPerExecution?: number;
  readonly options: Readonly<Record<string, string | number | boolean | null>>;
}

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
