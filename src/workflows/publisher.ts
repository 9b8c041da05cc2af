import { condition, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/create-activities.js";
import type { GroupRef } from "../activities/group-plan.js";
import type { SyncOptions } from "../domain/job.js";
import { addTotals } from "../domain/sync-totals.js";
import type { GroupState, ToLoad } from "./group-state.js";
import { COMMIT_EVERY_MS, COMMIT_EVERY_ROWS, HEARTBEATING, LOADS_BEHIND } from "./policies.js";

const { load, commit, dropStaging } = proxyActivities<Activities>(HEARTBEATING);

/** Loads and commits what slices finished, in order, while the next ones are read. */
export class Publisher {
  #last: Promise<void> = Promise.resolve();
  #dropping: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #failed = false;
  #committedAt = Date.now();

  constructor(
    private readonly options: SyncOptions,
    private readonly state: GroupState,
    private readonly ref: GroupRef,
  ) {}

  /**
   * Takes what is to be loaded now; waits only where loading has fallen behind. Rejects when an earlier load or
   * commit failed for good: nothing more is read then.
   */
  async publish(last = false): Promise<void> {
    if (this.#failed) await this.#last;
    const toLoad = this.state.takeToLoad();
    if (toLoad.length === 0 && !last) return;
    this.#pending += 1;
    this.#last = this.#last
      .then(() => this.#loadAndCommit(toLoad, last))
      .finally(() => {
        this.#pending -= 1;
      });
    this.#last.catch(() => {
      this.#failed = true;
    });
    await condition(() => this.#pending <= LOADS_BEHIND);
  }

  /** Commits everything that is complete. */
  async flush(): Promise<void> {
    await this.publish(true);
    await this.#last;
  }

  /** Settles when nothing is on its way; rejects with what went wrong. */
  async idle(): Promise<void> {
    await this.#last;
    await this.#dropping;
  }

  async #loadAndCommit(toLoad: readonly ToLoad[], last: boolean): Promise<void> {
    const { options, state, ref } = this;
    if (toLoad.length > 0) {
      const { manifest, refused } = await load({ ...ref, links: toLoad });
      state.applyLoad(toLoad, manifest, refused, options.pageSize, Date.now());
    }
    const due = Date.now() - this.#committedAt >= COMMIT_EVERY_MS || state.rowsToCommit >= COMMIT_EVERY_ROWS;
    if (!due && !last) return;
    await this.#commitFinished();
    this.#committedAt = Date.now();
  }

  async #commitFinished(): Promise<void> {
    const { options, state, ref } = this;
    const finished = state.takeToCommit();
    if (finished === undefined) return;
    const chunk = state.chunk;
    state.chunk += 1;
    const { totals } = await commit({ ...ref, ...finished, chunk, full: options.full });
    state.totals = addTotals(state.totals, totals);
    const links = [...finished.complete, ...finished.ended].map(({ progress }) => progress.link);
    // What is left of a run's staging is deleted with its row: nothing waits for this, and nothing hangs on it.
    const dropping = dropStaging({ ...ref, links }).catch(() => undefined);
    this.#dropping = Promise.all([this.#dropping, dropping]);
  }
}
