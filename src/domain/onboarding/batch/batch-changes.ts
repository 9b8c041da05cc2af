import { added, callsOf } from "../../counts.js";
import { mayNotCall } from "../../failures.js";
import { addRefusals } from "../../refusals.js";
import type { Verdict } from "../verdict.js";
import {
  type BatchPause,
  type BatchState,
  type ChunkPlan,
  CLOSED_CIRCUIT,
  type CustomerReport,
  customersOf,
  type DoneReport,
  type RowToRun,
} from "./batch-state.js";
import { countOf } from "./batch-totals.js";

const REFUSED_KEY = "the service refused the credentials; check NIGHTLEDGER_API_KEY";

export function planned(batch: BatchState, to: number, { run, ended }: ChunkPlan): BatchState {
  return unstartedEnded({ ...batch, next: to, waiting: [...batch.waiting, ...run] }, ended);
}

/** Makes rows outstanding, as many as the window has room for. */
export function started(
  batch: BatchState,
  window: number,
  now: number,
): { batch: BatchState; rows: readonly RowToRun[] } {
  if (batch.paused !== null || batch.cancelled) return { batch, rows: [] };
  const room = Math.max(0, window - batch.outstanding.length);
  const rows = batch.waiting.slice(0, room);
  return {
    batch: {
      ...batch,
      waiting: batch.waiting.slice(room),
      outstanding: [...batch.outstanding, ...rows.map((row) => ({ ...row, since: now }))],
    },
    rows,
  };
}

/** Counts rows that end without running. */
export function unstartedEnded(batch: BatchState, ended: readonly Verdict[]): BatchState {
  return ended.reduce(rowEnded, batch);
}

/** Applies a customer's report; the same report again changes nothing. */
export function reported(batch: BatchState, report: CustomerReport, circuit: number): BatchState {
  if (!batch.outstanding.some(({ row }) => row === report.row)) return batch;
  if (report.kind === "lost") return { ...batch, lost: report.message };
  if (report.kind === "waits") {
    const outstanding = batch.outstanding.map((one) =>
      one.row === report.row ? { ...one, waits: report.waits } : one,
    );
    return { ...batch, outstanding };
  }
  const counted = added(batch, callsOf(report));
  if (report.kind === "done") return doneReported(counted, report, circuit);
  const { kind, row, unauthorized } = report;
  const why = typeof unauthorized === "string" ? mayNotCall(unauthorized) : REFUSED_KEY;
  return paused(kind === "requeued" ? requeued(counted, row) : counted, {
    kind: "credentials",
    reason: `${why}, then resume`,
  });
}

function doneReported(batch: BatchState, report: DoneReport, limit: number): BatchState {
  const { row: done, messageHash, refused, outputCame } = report;
  const { outputs, refusals } = batch;
  // A completion without a message closes the circuit: something works.
  const again = messageHash === batch.circuit.message ? batch.circuit.inARow : 0;
  const circuit = messageHash === null ? CLOSED_CIRCUIT : { message: messageHash, inARow: again + 1 };
  const outstanding = batch.outstanding.filter(({ row }) => row !== done);
  const ended = {
    ...rowEnded({ ...batch, outstanding }, report),
    circuit,
    outputs: outputCame === undefined ? outputs : added(outputs, { [outputCame ? "found" : "missing"]: 1 }),
    refusals: refused ? addRefusals(refusals, [{ count: 1, ...refused }]) : refusals,
  };
  // Without a row left to start, the batch is about to end anyway.
  if (limit === 0 || circuit.inARow < limit || customersOf(ended).queued === 0) return ended;
  const reason = `${circuit.inARow} customers in a row ended with the same error`;
  return paused(ended, { kind: "circuit", reason });
}

/** Outstanding rows that were silent for so long; their clock begins again. */
export function silenced(
  batch: BatchState,
  ms: number,
  now: number,
): { batch: BatchState; rows: readonly RowToRun[] } {
  const isSilent = ({ since }: BatchState["outstanding"][number]) => now - since >= ms;
  const outstanding = batch.outstanding.map((one) => (isSilent(one) ? { ...one, since: now } : one));
  const rows = batch.outstanding.filter(isSilent).map(rowOf);
  return { batch: { ...batch, outstanding }, rows };
}

/** Pauses: running rows continue, no row is started. The first reason stays; a cancelled batch is not paused. */
export function paused(batch: BatchState, pause: BatchPause): BatchState {
  return batch.paused !== null || batch.cancelled ? batch : { ...batch, paused: pause };
}

export function resumed(batch: BatchState): BatchState {
  return { ...batch, paused: null, circuit: CLOSED_CIRCUIT, resumes: batch.resumes + 1 };
}

export function cancelled(batch: BatchState): BatchState {
  return { ...batch, cancelled: true, paused: null };
}

function requeued(batch: BatchState, index: number): BatchState {
  const again = batch.outstanding.filter(({ row }) => row === index);
  return {
    ...batch,
    outstanding: batch.outstanding.filter(({ row }) => row !== index),
    waiting: [...batch.waiting, ...again.map(rowOf)],
  };
}

function rowOf({ since: _, waits: __, ...row }: BatchState["outstanding"][number]): RowToRun {
  return row;
}

function rowEnded(batch: BatchState, { status, review }: Verdict): BatchState {
  const counts = added(batch.counts, { [countOf(status)]: 1 });
  return { ...batch, counts, manualReview: batch.manualReview + (review ? 1 : 0) };
}
