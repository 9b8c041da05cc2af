import { condition, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type {} from "../../domain/onboarding/batch/batch-rows.js";
import type { OnboardBatchInput } from "../../domain/onboarding/batch/batch-state.js";
import type { OutcomeName } from "../../domain/onboarding/outcome.js";
import { HEARTBEATING, ROWS_AT_ONCE } from "../policies.js";

const { recordOutcomes } = proxyActivities<Activities>(HEARTBEATING);

/** Writes the outcomes of a batch in chunks: a commit for each row would take as long as all customers together. */
export class BatchRecorder {
  isWriting = false;
  /** Whether writing failed for good: then `end` rejects with the error, and nothing more is written. */
  isBroken = false;
  #isHurried = false;
  #isEnded = false;
  readonly #done: Promise<void>;

  constructor(
    private readonly batch: OnboardBatchInput,
    private readonly unrecorded: {
      count(): number;
      take(most: number): { readonly chunk: number; readonly rows: readonly OutcomeName[] };
    },
  ) {
    this.#done = this.#run();
    // `end` reports the failure.
    this.#done.catch(() => {
      this.isBroken = true;
      this.isWriting = false;
    });
  }

  /** Writes the rest and ends. @throws the error that writing failed with */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#done;
  }

  hurry(): void {
    this.#isHurried = true;
  }

  async #run(): Promise<void> {
    const { batchId, runId, plainOutput, timing } = this.batch;
    const { unrecorded } = this;
    for (;;) {
      await condition(() => unrecorded.count() > 0 || this.#isEnded);
      const isDue = () => unrecorded.count() >= ROWS_AT_ONCE || this.#isHurried || this.#isEnded;
      await condition(isDue, timing.recordAfter);
      this.#isHurried = false;
      if (unrecorded.count() > 0) {
        const { chunk, rows } = unrecorded.take(ROWS_AT_ONCE);
        this.isWriting = true;
        await recordOutcomes({ batchId, runId, plainOutput, chunk: String(chunk), rows });
        this.isWriting = false;
      } else if (this.#isEnded) return;
    }
  }
}
