import { SLICES_AT_ONCE } from "./limits.js";

/** For each worker, so many slices of a run are looked back on: one that is gone ends none of them. */
const REMEMBERED = 4;

/** The workers that read a run, by the slices that they have ended. Pure. */
export class SliceWorkers {
  /** The last slice that each has ended, counted as they end. */
  readonly #last = new Map<string, number>();
  #ended = 0;

  /** A slice ended; `worker` is left out where a run has one worker. */
  ended(worker = ""): void {
    this.#ended += 1;
    this.#last.set(worker, this.#ended);
    for (const [name, at] of this.#last)
      if (at <= this.#ended - REMEMBERED * this.#last.size) this.#last.delete(name);
  }

  /** How many slices there may be at a time: with two for each worker and one more, none has to wait for its next. */
  get slicesAtOnce(): number {
    return Math.max(SLICES_AT_ONCE, 2 * this.#last.size + 1);
  }
}
