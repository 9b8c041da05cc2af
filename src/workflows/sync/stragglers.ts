import { isCancellation, log, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { isWorthBringingUp } from "../../domain/sync/stragglers.js";
import { reasonOf } from "../failure-reason.js";
import { TRIED_ONCE } from "../policies.js";
import type { GroupProgress } from "./messages.js";

const { materialize } = proxyActivities<Activities>(TRIED_ONCE);

/**
 * Brings `transactions` up to what is committed while a run only waits for links that are tried again: one bad link
 * never holds back the others' rows.
 */
export class Stragglers {
  #broughtUp = 0;
  #under: Promise<void> | undefined;

  constructor(private readonly runId: string) {}

  /** Looks at the groups that are going on; `endedRows` are committed rows of those that have ended. */
  look(groups: readonly GroupProgress[], endedRows: number): void {
    const committed = groups.reduce((sum, { rowsCommitted }) => sum + rowsCommitted, endedRows);
    if (this.#under !== undefined || !isWorthBringingUp(groups, committed, this.#broughtUp, Date.now())) {
      return;
    }
    this.#broughtUp = committed;
    this.#under = this.#bringUp().finally(() => {
      this.#under = undefined;
    });
  }

  /** Settles when nothing is under way. */
  async ended(): Promise<void> {
    await this.#under;
  }

  /** The run does it again at its end, so what fails here is only told. */
  async #bringUp(): Promise<void> {
    try {
      await materialize({ runId: this.runId });
    } catch (error) {
      if (isCancellation(error)) return;
      log.warn("transactions could not be brought up while links are waited for", { error: reasonOf(error) });
    }
  }
}
