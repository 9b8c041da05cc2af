import { fits, type RecordedRequest, type RequestFilter } from "../calls.js";

/** When a held request waits: before its operation takes effect, or between the effect and its answer. */
export type HoldPoint = "before" | "after";

interface Hold {
  readonly filter: RequestFilter;
  readonly point: HoldPoint;
  readonly over: Promise<void>;
}

/** Requests that wait until they are released, so that their sender is still at work on any machine. */
export class RequestHolds {
  readonly #holds = new Set<Hold>();

  /** Holds the requests that get to the point from now on; the result lets them go, and all that follow. */
  add(filter: RequestFilter, point: HoldPoint): () => void {
    let release = () => {};
    const over = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold = { filter, point, over };
    this.#holds.add(hold);
    return () => {
      this.#holds.delete(hold);
      release();
    };
  }

  /** Settles at once, or when every hold that a request meets at the point is over. */
  async pass(record: RecordedRequest, point: HoldPoint): Promise<void> {
    for (const hold of this.#holds) {
      if (hold.point === point && fits(record, hold.filter)) await hold.over;
    }
  }

  /** Whether there is anything to wait for: most requests are spared a turn of the loop. */
  get some(): boolean {
    return this.#holds.size > 0;
  }
}
