import { condition, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { BatchWindow } from "../../domain/onboarding/batch/batch-window.js";
import { HEARTBEATING, ROWS_AT_ONCE } from "../policies.js";

const { recordOutcomes } = proxyActivities<Activities>(HEARTBEATING);

/** Writes the outcomes of a batch, many at a time: a commit for each would be as slow as the customers together. */
export class BatchRecorder {
  #hurry = false;
  #ended = false;
  #writing = false;
  #broken = false;
  readonly #done: Promise<void>;

  constructor(
    private readonly window: BatchWindow,
    private readonly batch: {
      readonly batchId: string;
      readonly runId: string;
      readonly plainOutput: boolean;
      /** Milliseconds that the first outcome that waits is kept. */
      readonly recordAfter: number;
    },
  ) {
    this.#done = this.#run();
    // Waited for by `end`, or found broken there.
    this.#done.catch(() => undefined);
  }

  get writing(): boolean {
    return this.#writing;
  }

  /** Whether it failed for good: `end` tells with what, and nothing more is written. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Writes what there is, and ends; rejects with what went wrong. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#done;
  }

  /** Writes what there is now without waiting for more. */
  hurry(): void {
    this.#hurry = true;
  }

  async #run(): Promise<void> {
    for (;;) {
      await condition(() => this.window.unrecorded > 0 || this.#ended);
      const full = () => this.window.unrecorded >= ROWS_AT_ONCE || this.#hurry || this.#ended;
      await condition(full, this.batch.recordAfter);
      this.#hurry = false;
      const taken = this.window.takeToRecord(ROWS_AT_ONCE);
      if (taken === undefined) {
        if (this.#ended) return;
        continue;
      }
      this.#writing = true;
      const { batchId, runId, plainOutput } = this.batch;
      await recordOutcomes({
        batchId,
        runId,
        plainOutput,
        chunk: String(taken.chunk),
        rows: taken.rows,
      }).catch((error) => this.#break(error));
      this.#writing = false;
    }
  }

  #break(error: unknown): never {
    this.#broken = true;
    this.#writing = false;
    throw error;
  }
}
