import { condition, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { LoadResult } from "../../activities/sync/load/load.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { IN_STAGING, LOADS_BEHIND } from "../policies.js";
import type { SyncState, ToLoad } from "./sync-state.js";

const { load, commit, dropJournals } = proxyActivities<Activities>(IN_STAGING);

/** Loads what slices finished, two loads at a time, and commits it in order, while the next ones are read. */
export class Publisher {
  #last: Promise<void> = Promise.resolve();
  /** The loads under way, the older one first: while SQL runs for one, the other bundles and stores. */
  #loads: readonly [Promise<unknown>, Promise<unknown>] = [Promise.resolve(), Promise.resolve()];
  #dropping: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #failed = false;
  /** Whether a commit is on its way that was due by itself. */
  #isQueued = false;

  constructor(
    private readonly runId: string,
    private readonly options: SyncOptions,
    private readonly state: SyncState,
  ) {}

  /**
   * Takes what is to be loaded now; waits only where loading has fallen behind. Rejects when an earlier load or
   * commit failed for good: nothing more is read then.
   */
  async publish(last = false): Promise<void> {
    if (this.#failed) await this.#last;
    const isDue = last || (!this.#isQueued && this.state.isCommitDue(Date.now()));
    const toLoad = this.state.takeToLoad(isDue);
    if (toLoad === undefined && !isDue) return;
    this.#pending += 1;
    this.#isQueued ||= isDue;
    const loading = toLoad && this.#load(toLoad);
    this.#last = this.#last
      .then(() => this.#applyAndCommit(toLoad, loading, isDue))
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
  #load({ reports, links }: ToLoad): Promise<LoadResult> {
    const { runId } = this;
    const [older, newer] = this.#loads;
    const input = { runId, reports: reports.map(({ place }) => place), links };
    const loading = older.then(() => load(input));
    this.#loads = [newer, loading.catch(() => undefined)];
    return loading;
  }

  async #applyAndCommit(
    toLoad: ToLoad | undefined,
    loading: Promise<LoadResult> | undefined,
    isDue: boolean,
  ): Promise<void> {
    if (toLoad !== undefined && loading !== undefined) {
      this.state.applyLoad(toLoad, await loading, Date.now());
    }
    if (!isDue) return;
    this.#isQueued = false;
    await this.#commitFinished();
  }

  async #commitFinished(): Promise<void> {
    const { runId, options, state } = this;
    const finished = state.takeToCommit(Date.now());
    if (finished === undefined) return;
    const { streams, full } = options;
    const { totals } = await commit({ ...finished, runId, streams, full });
    state.applyCommit(totals);
    const folders = state.takeToDrop();
    if (folders.length === 0) return;
    // What can't be deleted now is deleted with the run's staging, so a failure here does no harm.
    const dropping = dropJournals({ runId, folders }).catch(() => undefined);
    this.#dropping = Promise.all([this.#dropping, dropping]);
  }
}
