import { isCancellation, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { reasonOf } from "../failure-reason.js";
import { TRIED_ONCE } from "../policies.js";
import { runLog } from "../run-log.js";

const { materialize } = proxyActivities<Activities>(TRIED_ONCE);

/**
 * Brings `transactions` up to the feed while a run does nothing but wait for retries, so that one bad link never holds
 * back the rows of the others.
 */
export class Stragglers {
  #broughtUp = 0;
  #under: Promise<void> | undefined;

  constructor(private readonly runId: string) {}

  /** @param committed rows that the run has committed so far */
  bringUp(committed: number): void {
    if (this.#under !== undefined || committed <= this.#broughtUp) return;
    this.#broughtUp = committed;
    this.#under = this.#materialize().finally(() => {
      this.#under = undefined;
    });
  }

  /** Waits until nothing is in progress. */
  async ended(): Promise<void> {
    await this.#under;
  }

  /** Only logs a failure, because the run materializes again at its end. */
  async #materialize(): Promise<void> {
    try {
      await materialize({ runId: this.runId });
    } catch (error) {
      if (isCancellation(error)) return;
      runLog.warn(
        { error: reasonOf(error) },
        "could not bring transactions up to the feed while links wait for a retry; the end of the run tries again",
      );
    }
  }
}
