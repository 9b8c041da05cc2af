import { getExternalWorkflowHandle, isCancellation, sleep, workflowInfo } from "@temporalio/workflow";
import { waitingOf } from "../../domain/waiting.js";
import { LONG_PAUSE_MS, PROGRESS_LEAST_MS, PROGRESS_MOST_MS } from "../policies.js";
import { type GroupFigures, groupProgressSignal } from "./messages.js";

/** Of the time that a group has taken, the part after which it tells how far it is again. */
const PART = 10;
/** The same, where something else waits than the run has heard of. */
const WAITING_PART = 100;

/**
 * Tells a group's run how far the group is, by the clock and the more rarely the longer it takes: each signal is
 * four events in the history of a run, which can't continue as new before its groups have ended.
 */
export class ProgressTeller {
  #toldAt = 0;
  /** What the run has heard of the group's waiting. */
  #told = "";

  constructor(
    private readonly group: number,
    private readonly figures: () => GroupFigures,
  ) {}

  /** Tells the run, where it is time to. */
  async tell(): Promise<void> {
    if (Date.now() >= this.#nextAt(null)) await this.#signal(null);
  }

  /** Waits where nothing else can be done, and tells the run so, as soon as it is time to. */
  async pause(ms: number): Promise<void> {
    const until = Date.now() + ms;
    const wait = this.#nextAt(until) - Date.now();
    if (ms >= LONG_PAUSE_MS && wait < ms && this.#isNew(until)) {
      if (wait > 0) await sleep(wait);
      // Another pause of the same group may have told it meanwhile.
      if (this.#isNew(until)) await this.#signal(until);
    }
    const rest = until - Date.now();
    if (rest > 0) await sleep(rest);
  }

  #isNew(waitsUntil: number | null): boolean {
    return this.#told !== this.#waiting(waitsUntil);
  }

  /** When the run may be told again, epoch milliseconds. */
  #nextAt(waitsUntil: number | null): number {
    const took = Date.now() - workflowInfo().startTime.getTime();
    const part = this.#isNew(waitsUntil) ? WAITING_PART : PART;
    return this.#toldAt + Math.min(PROGRESS_MOST_MS, Math.max(PROGRESS_LEAST_MS, took / part));
  }

  #waiting(waitsUntil: number | null): string {
    return JSON.stringify([waitingOf(this.figures()), waitsUntil !== null]);
  }

  async #signal(waitsUntil: number | null): Promise<void> {
    const { parent } = workflowInfo();
    if (parent === undefined) return;
    this.#toldAt = Date.now();
    this.#told = this.#waiting(waitsUntil);
    try {
      const run = getExternalWorkflowHandle(parent.workflowId);
      await run.signal(groupProgressSignal, { group: this.group, waitsUntil, ...this.figures() });
    } catch (error) {
      // The run may have ended: what is told is for show only.
      if (isCancellation(error)) throw error;
    }
  }
}
