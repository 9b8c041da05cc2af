import { isCancellation, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { reasonOf } from "../failure-reason.js";
import { TRIED_ONCE } from "../policies.js";
import { runLog } from "../run-log.js";

const { materialize } = proxyActivities<Activities>(TRIED_ONCE);

/**
 * Brings `transactions` up to what is committed while a run only waits for links that are tried again: one bad link
 * never holds back the others' rows.
 */
export class Stragglers {
  #broughtUp = 0;
  #under: Promise<void> | undefined;

  constructor(private readonly runId: string) {}

  /** Called when the run does nothing but wait; `committed` are the rows committed so far. */
  bringUp(committed: number): void {
    if (this.#under !== undefined || committed <= this.#broughtUp) return;
    this.#broughtUp = committed;
    this.#under = this.#materialize().finally(() => {
      this.#under = undefined;
    });
  }

  /** Settles when nothing is under way. */
  async ended(): Promise<void> {
    await this.#under;
  }

  /** The run does it again at its end, so what fails here is only told. */
  async #materialize(): Promise<void> {
    try {
      await materialize({ runId: this.runId });
    } catch (error) {
      if (isCancellation(error)) return;
      runLog.warn(
        { error: reasonOf(error) },
        "transactions could not be brought up while links are waited for",
      );
    }
  }
}
