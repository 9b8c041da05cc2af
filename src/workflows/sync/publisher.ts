import { condition, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { GroupRef } from "../../activities/sync/group-plan.js";
import type { LoadResult } from "../../activities/sync/load/load.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { COMMIT_EVERY_MS, COMMIT_EVERY_ROWS, HEARTBEATING, LOADS_BEHIND } from "../policies.js";
import type { GroupState, ToLoad } from "./group-state.js";

const { load, commit, dropStaging } = proxyActivities<Activities>(HEARTBEATING);

/** Loads what slices finished, two loads at a time, and commits it in order, while the next ones are read. */
export class Publisher {
  #last: Promise<void>;
  /** The loads under way, the older one first: while SQL runs for one, the other bundles and stores. */
  #loads: readonly [Promise<unknown>, Promise<unknown>] = [Promise.resolve(), Promise.resolve()];
  #dropping: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #failed = false;
  #committedAt = Date.now();

  /** @param before Settles when the group's first commit may be made; rejects when none may. */
  constructor(
    private readonly options: SyncOptions,
    private readonly state: GroupState,
    private readonly ref: GroupRef,
    before: Promise<void>,
  ) {
    this.#last = before;
    before.catch(() => {
      this.#failed = true;
    });
  }

  /**
   * Takes what is to be loaded now; waits only where loading has fallen behind. Rejects when an earlier load or
   * commit failed for good: nothing more is read then.
   */
  async publish(last = false): Promise<void> {
    if (this.#failed) await this.#last;
    const toLoad = this.state.takeToLoad();
    if (toLoad.length === 0 && !last) return;
    this.#pending += 1;
    const loading = toLoad.length > 0 ? this.#load(toLoad) : undefined;
    this.#last = this.#last
      .then(() => this.#applyAndCommit(toLoad, loading, last))
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
    await Promise.all(this.#loads);
    await this.#last;
    await this.#dropping;
  }

  /** Starts a load as soon as the one before the last has ended. */
  #load(links: readonly ToLoad[]): Promise<LoadResult> {
    const [older, newer] = this.#loads;
    const loading = older.then(() => load({ ...this.ref, links }));
    this.#loads = [newer, loading.catch(() => undefined)];
    return loading;
  }

  async #applyAndCommit(
    toLoad: readonly ToLoad[],
    loading: Promise<LoadResult> | undefined,
    last: boolean,
  ): Promise<void> {
    const { options, state } = this;
    if (loading !== undefined) {
      const { manifest, refused } = await loading;
      state.applyLoad(toLoad, manifest, refused, options.pageSize, Date.now());
    }
    const due = Date.now() - this.#committedAt >= COMMIT_EVERY_MS || state.rowsToCommit >= COMMIT_EVERY_ROWS;
    if (!due && !last) return;
    await this.#commitFinished(last);
    this.#committedAt = Date.now();
  }

  async #commitFinished(last: boolean): Promise<void> {
    const { options, state, ref } = this;
    const finished = state.takeToCommit();
    if (finished === undefined) return;
    const { totals } = await commit({ ...ref, ...finished, full: options.full });
    state.count(totals);
    // What is left at the group's end is deleted by its run, beside whatever comes next.
    if (last) return;
    const links = [...finished.complete, ...finished.ended].map(({ progress }) => progress.link);
    // What is left of a run's staging is deleted with its row: nothing waits for this, and nothing hangs on it.
    const dropping = dropStaging({ ...ref, links }).catch(() => undefined);
    this.#dropping = Promise.all([this.#dropping, dropping]);
  }
}
