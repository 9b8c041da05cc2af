import { condition, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import type { LoadResult } from "../../domain/sync/run/publication.js";
import type { SyncState, ToLoad } from "../../domain/sync/run/sync-state.js";
import { IN_STAGING, LOADS_BEHIND, TRIED_ONCE } from "../policies.js";
import type { RunPhases } from "../run-phases.js";

const { load, commit } = proxyActivities<Activities>(IN_STAGING);
const { dropJournals } = proxyActivities<Activities>(TRIED_ONCE);

/** Loads two at a time, and commits in order, while the next slices read. */
export class Publisher {
  /** Of the queue; rejects once a load or commit has failed for good. */
  #last: Promise<void> = Promise.resolve();
  #queued = 0;
  #failed = false;
  #isCommitQueued = false;
  /** The older one first: while SQL runs for one, the other bundles and stores. */
  #loads: readonly [Promise<unknown>, Promise<unknown>] = [Promise.resolve(), Promise.resolve()];
  #dropping: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly runId: string,
    private readonly options: SyncOptions,
    private readonly state: SyncState,
    private readonly phases: RunPhases,
  ) {}

  /**
   * Loads and commits what is large enough, or `all` that is read. Waits only while the queue is long. Rejects once a load
   * or commit has failed for good, so that the run reads nothing more.
   */
  async publish(all = false): Promise<void> {
    if (this.#failed) await this.#last;
    const commits = all || (!this.#isCommitQueued && this.state.isCommitDue(Date.now()));
    const toLoad = this.state.takeToLoad(commits);
    if (toLoad === undefined && !commits) return;
    this.#isCommitQueued ||= commits;
    const loading = toLoad && this.#load(toLoad);
    this.#queue(async () => {
      if (toLoad && loading) this.state.applyLoad(toLoad, await loading, Date.now());
      if (commits) await this.#commit();
    });
    await condition(() => this.#queued <= LOADS_BEHIND);
  }

  async flush(): Promise<void> {
    await this.publish(true);
    await this.#last;
  }

  /** Rejects once a load or commit has failed for good. */
  async idle(): Promise<void> {
    await Promise.all(this.#loads);
    await this.#last;
    await this.#dropping;
  }

  #queue(step: () => Promise<void>): void {
    this.#queued += 1;
    this.#last = this.#last.then(step).finally(() => {
      this.#queued -= 1;
    });
    this.#last.catch(() => {
      this.#failed = true;
    });
  }

  /** As soon as the one before the last has ended. */
  #load(toLoad: ToLoad): Promise<LoadResult> {
    const [older, newer] = this.#loads;
    const { runId } = this;
    const loading = older.then(() => this.phases.during("loading", load({ ...toLoad, runId })));
    this.#loads = [newer, loading.catch(() => undefined)];
    return loading;
  }

  async #commit(): Promise<void> {
    this.#isCommitQueued = false;
    const { runId, state } = this;
    const work = state.takeToCommit(Date.now());
    if (work === undefined) return;
    const { streams, full } = this.options;
    const { removed } = state.carried;
    const committing = commit({ ...work, runId, streams, full, removed });
    state.applyCommit(await this.phases.during("committing", committing));
    const folders = state.takeToDrop();
    if (folders.length === 0) return;
    // The end of the run deletes its whole staging.
    const dropping = dropJournals({ runId, folders }).then(
      () => undefined,
      () => undefined,
    );
    this.#dropping = Promise.all([this.#dropping, dropping]);
  }
}
