import { SLICES_AT_ONCE } from "./limits.js";

/** So many slices of each worker: one that is gone ends none of them. */
const REMEMBERED = 4;

/** The workers that read a run. Pure. */
export class SliceWorkers {
  /** The last slice that each has ended. */
  readonly #last = new Map<string, number>();
  #ended = 0;

  /** Left out where a run has one worker. */
  ended(worker = ""): void {
    this.#ended += 1;
    this.#last.set(worker, this.#ended);
    for (const [name, at] of this.#last)
      if (at <= this.#ended - REMEMBERED * this.#last.size) this.#last.delete(name);
  }

  get isKnown(): boolean {
    return this.#ended > 0;
  }

  /** Temporal gives slices to whoever asks: with fewer, one worker may have all. */
  get slicesAtOnce(): number {
    return SLICES_AT_ONCE * Math.max(1, this.#last.size);
  }
}
