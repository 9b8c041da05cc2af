import { addRefusals, type Refusals } from "../../refusals.js";
import type {
  BatchPause,
  CarriedBatch,
  ChunkPlan,
  CustomerReport,
  OutcomeRef,
  OutstandingRow,
  RowToRun,
  WaitingRow,
} from "./batch-rows.js";
import { addQueued, type CustomerCounts, countOf, moveRows } from "./batch-totals.js";
import { afterCompletion, CLOSED_CIRCUIT, isOpen } from "./circuit.js";

/** Runs that ended without an output before a playbook counts as having none. */
const OUTPUTS_MISSED = 50;
const REFUSED = "the service refused the credentials; check NIGHTLEDGER_API_KEY, then resume";
/** A customer that another row has just freed is asked for again after this. */
const AGAIN_AFTER_MS = 1_000;

/**
 * The rows of a batch: planned, outstanding, done. A sliding window by the *set* of outstanding rows: a bare
 * count would lose or double one when a report comes twice, or while the batch continues as new. Pure.
 */
export class BatchWindow {
  #state: CarriedBatch;
  readonly #waiting: WaitingRow[];
  readonly #outstanding: Map<number, OutstandingRow>;
  #unrecorded: OutcomeRef[];

  constructor(
    carried: CarriedBatch,
    private readonly circuitLimit: number,
  ) {
    this.#state = carried;
    this.#waiting = [...carried.waiting];
    this.#outstanding = new Map(carried.outstanding.map((row) => [row.row, row]));
    this.#unrecorded = [...carried.unrecorded];
  }

  get counts(): CustomerCounts {
    return this.#state.counts;
  }

  get manualReview(): number {
    return this.#state.manualReview;
  }

  get calls(): number {
    return this.#state.calls;
  }

  get refusals(): readonly Refusals[] {
    return this.#state.refusals ?? [];
  }

  get paused(): BatchPause | null {
    return this.#state.paused;
  }

  get cancelled(): boolean {
    return this.#state.cancelled;
  }

  get resumes(): number {
    return this.#state.resumes;
  }

  get outstanding(): readonly OutstandingRow[] {
    return [...this.#outstanding.values()];
  }

  get unrecorded(): number {
    return this.#unrecorded.length;
  }

  /** Whether every row is processed. */
  get done(): boolean {
    return this.#state.next >= this.#state.upTo && this.#waiting.length === 0 && this.#outstanding.size === 0;
  }

  get outputsAwaited(): number {
    return this.#state.outputs.awaited;
  }

  /** Whether a missing output is worth asking for again: not of a playbook that never has one. */
  get outputsExpected(): boolean {
    const { found, missing } = this.#state.outputs;
    return found > 0 || missing < OUTPUTS_MISSED;
  }

  /** The rows to plan next, at most so many; undefined while there are enough, or none. */
  rowsToPlan(most: number): { from: number; to: number } | undefined {
    const { next, upTo, paused, cancelled } = this.#state;
    if (next >= upTo || (!cancelled && (paused !== null || this.#waiting.length > 0))) return undefined;
    return { from: next, to: Math.min(upTo, next + most) };
  }

  /** Takes in what was planned for the rows up to `to`; those that a cancelled batch has still go nowhere. */
  applyPlan(to: number, plan: ChunkPlan): void {
    this.#set({ next: to });
    for (const row of plan.run) this.#waiting.push({ ...row, notBefore: 0 });
    this.#unrecorded.push(...plan.staged);
    this.endUnstarted(plan.ended);
  }

  /** Rows to start now: as many as the window has room for. They count as outstanding from here on. */
  takeToStart(window: number, now: number): RowToRun[] {
    if (this.#state.paused !== null || this.#state.cancelled) return [];
    const taken: RowToRun[] = [];
    while (this.#outstanding.size < window) {
      const at = this.#waiting.findIndex(({ notBefore }) => notBefore <= now);
      if (at < 0) break;
      const [found] = this.#waiting.splice(at, 1);
      const { notBefore: _, ...row } = found as WaitingRow;
      this.#outstanding.set(row.row, { ...row, since: now });
      taken.push(row);
    }
    this.#move("queued", "running", taken.length);
    return taken;
  }

  /** Epoch milliseconds at which a row that waits may start; undefined where none waits for a time. */
  get nextStart(): number | undefined {
    const times = this.#waiting.map(({ notBefore }) => notBefore);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Rows that wait and that a cancelled batch will not start: their outcomes are to be written. */
  takeUnstarted(): RowToRun[] {
    return this.#waiting.splice(0).map(({ notBefore: _, ...row }) => row);
  }

  /** A row that waited has the outcome `cancelled`, or the one that was found meanwhile. */
  endUnstarted(ended: ChunkPlan["ended"]): void {
    for (const { status, requiresManualReview, record } of ended) {
      this.#end("queued", status, requiresManualReview, record);
    }
  }

  /** Takes in what a customer tells; the same again changes nothing. */
  report(report: CustomerReport, now: number): void {
    if (report.kind === "output") {
      const { awaited, found, missing } = this.#state.outputs;
      const came = report.found ? 1 : 0;
      this.#set({
        outputs: { awaited: Math.max(0, awaited - 1), found: found + came, missing: missing + 1 - came },
        calls: this.#state.calls + report.calls,
      });
      return;
    }
    const row = this.#outstanding.get(report.row);
    if (row === undefined) return;
    if (report.kind === "free") {
      this.#again(row, now + AGAIN_AFTER_MS);
      return;
    }
    this.#set({ calls: this.#state.calls + report.calls });
    if (report.kind === "done") {
      this.#outstanding.delete(report.row);
      this.#end("running", report.status, report.requiresManualReview, report.record);
      const { outputs } = this.#state;
      if (report.outputAwaited) this.#set({ outputs: { ...outputs, awaited: outputs.awaited + 1 } });
      if (report.refused) {
        this.#set({ refusals: addRefusals(this.refusals, [{ count: 1, ...report.refused }]) });
      }
      this.#complete(report.messageHash);
      return;
    }
    if (report.kind === "requeued") this.#again(row, 0);
    this.pause({ kind: "credentials", reason: REFUSED });
  }

  /** A row whose customer could not be started for the moment. */
  requeue(row: number, notBefore: number): void {
    const found = this.#outstanding.get(row);
    if (found !== undefined) this.#again(found, notBefore);
  }

  /** Something was heard of rows: they are silent from now on only. */
  heard(rows: readonly number[], now: number): void {
    for (const row of rows) {
      const found = this.#outstanding.get(row);
      if (found !== undefined) this.#outstanding.set(row, { ...found, since: now });
    }
  }

  /** Rows of which nothing was heard for so long. */
  silent(ms: number, now: number): OutstandingRow[] {
    return this.outstanding.filter(({ since }) => now - since >= ms);
  }

  /** Stands still: what runs goes on, nothing is started. The first reason stays; what is cancelled comes to its end. */
  pause(pause: BatchPause): void {
    if (this.#state.paused === null && !this.#state.cancelled) this.#set({ paused: pause });
  }

  /** Goes on, and counts equal messages anew. */
  resume(): void {
    const { resumes } = this.#state;
    this.#set({ paused: null, circuit: CLOSED_CIRCUIT, resumes: resumes + 1 });
  }

  /** Comes to its end without starting anything, also where it stood still. */
  cancel(): void {
    this.#set({ cancelled: true, paused: null });
  }

  /** A higher limit adds rows; a lower one changes nothing. */
  raiseLimit(upTo: number): void {
    if (upTo <= this.#state.upTo || this.#state.cancelled) return;
    this.#set({ counts: addQueued(this.#state.counts, upTo - this.#state.upTo), upTo });
  }

  /** The outcomes to write next, under a number of their own; undefined where there are none. */
  takeToRecord(most: number): { chunk: number; rows: OutcomeRef[] } | undefined {
    if (this.#unrecorded.length === 0) return undefined;
    const rows = this.#unrecorded.slice(0, most);
    this.#unrecorded = this.#unrecorded.slice(most);
    const { chunk } = this.#state;
    this.#set({ chunk: chunk + 1 });
    return { chunk, rows };
  }

  carry(): CarriedBatch {
    return {
      ...this.#state,
      waiting: [...this.#waiting],
      outstanding: this.outstanding,
      unrecorded: [...this.#unrecorded],
    };
  }

  #again(row: OutstandingRow, notBefore: number): void {
    const { since: _, ...planned } = row;
    this.#outstanding.delete(row.row);
    this.#waiting.push({ ...planned, notBefore });
    this.#move("running", "queued");
  }

  #end(from: "queued" | "running", status: string, review: boolean, record: OutcomeRef | null): void {
    this.#move(from, countOf(status));
    if (review) this.#set({ manualReview: this.#state.manualReview + 1 });
    if (record !== null && !this.#unrecorded.some((one) => isSame(one, record)))
      this.#unrecorded.push(record);
  }

  #complete(messageHash: string | null): void {
    const circuit = afterCompletion(this.#state.circuit, messageHash);
    this.#set({ circuit });
    // Where no row is left to be started, the batch comes to its end by itself.
    if (!isOpen(circuit, this.circuitLimit) || this.counts.queued === 0) return;
    this.pause({
      kind: "circuit",
      reason: `${circuit.inARow} customers in a row ended with the same error`,
    });
  }

  #move(from: "queued" | "running", to: Parameters<typeof moveRows>[2], rows = 1): void {
    if (rows > 0) this.#set({ counts: moveRows(this.#state.counts, from, to, rows) });
  }

  #set(change: Partial<CarriedBatch>): void {
    this.#state = { ...this.#state, ...change };
  }
}

function isSame(a: OutcomeRef, b: OutcomeRef): boolean {
  return a.row === b.row && a.attempt === b.attempt && a.version === b.version;
}
