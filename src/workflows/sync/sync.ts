import {
  ActivityFailure,
  CancellationScope,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { FINISHING, type Phases } from "../../domain/phases.js";
import type { RunStatus } from "../../domain/run.js";
import type { SyncRun } from "../../domain/sync/job.js";
import { bringUpEvery, longestReading } from "../../domain/sync/run/limits.js";
import { type CarriedSync, type SyncFigures, SyncState } from "../../domain/sync/run/sync-state.js";
import { endOfSync, endStatus, type SyncSummary, withUnreadLinks } from "../../domain/sync/sync-summary.js";
import { type Failure, MATERIALIZE, type SyncTotals, withFailure } from "../../domain/sync/sync-totals.js";
import { NO_PAUSES, type Pauses, pausedMs, TRY_NOW, withPause } from "../../domain/waiting.js";
import { reasonOf } from "../failure-reason.js";
import { HEARTBEATING, TRIED_ONCE } from "../policies.js";
import { runLog, tellStatus } from "../run-details.js";
import { RunPhases } from "../run-phases.js";
import { Publisher } from "./publisher.js";
import { Reader } from "./reader.js";

export interface SyncProgress extends SyncFigures {
  readonly runId: string;
  readonly usersTotal: number;
  readonly phase: "reading" | "materializing" | "finishing";
  readonly totals: SyncTotals;
}

const syncProgressQuery = defineQuery<SyncProgress>("progress");

const { materialize, finishRun } = proxyActivities<Activities>(HEARTBEATING);
const { materialize: materializeOnce } = proxyActivities<Activities>(TRIED_ONCE);

interface SyncInput extends SyncRun {
  readonly carried?: { readonly state: CarriedSync; readonly pauses: Pauses; readonly phases: Phases };
}

/**
 * Reads users and links in slices, loads and commits finished ones meanwhile, then materializes and writes the run's row
 * (docs/inside/architecture.md, "A run"). A failure of one link stays with that link.
 */
export async function sync(input: SyncInput): Promise<SyncSummary> {
  const { runId, roster, options, carried } = input;
  if (carried === undefined) runLog.info({ run_id: runId, kind: "sync", users: roster.users }, "run begins");
  const { full, pageSize } = options;
  const mostMs = longestReading(input.firing?.everyMs);
  const state = new SyncState(
    { users: roster.users, full, pageSize, mostMs, now: Date.now() },
    carried?.state,
  );
  const run = new RunUnderWay(input, state, carried, bringUpEvery(mostMs));
  try {
    await run.read();
    return await run.finish(await run.materialize());
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return CancellationScope.nonCancellable(() => run.finish(undefined, "cancelled"));
  }
}

class RunUnderWay {
  #phase: SyncProgress["phase"] = "reading";
  #pauses: Pauses;
  /** Committed when {@link #bringUp} last began. */
  #broughtUp = 0;
  #bringingUp: Promise<void> | undefined;
  #broughtUpAt = Date.now();
  readonly #phases: RunPhases;

  constructor(
    private readonly input: SyncInput,
    private readonly state: SyncState,
    carried: SyncInput["carried"],
    private readonly bringUpEveryMs: number,
  ) {
    this.#pauses = carried?.pauses ?? NO_PAUSES;
    this.#phases = new RunPhases(carried?.phases);
    setHandler(syncProgressQuery, () => this.#progress());
    setHandler(defineSignal(TRY_NOW), () => state.tryNow());
  }

  #progress(): SyncProgress {
    const { runId, roster } = this.input;
    const { totals, figures } = this.state;
    return { runId, usersTotal: roster.users, phase: this.#phase, totals, ...figures };
  }

  /** Continues as new once the history has grown. */
  async read(): Promise<void> {
    const { input, state } = this;
    const began = Date.now();
    const publisher = new Publisher(input.runId, input.options, state, this.#phases);
    const reader = new Reader(input, state, publisher, {
      read: () => this.#noteSlice(),
      waits: () => this.#bringUp(),
    });
    try {
      const end = await reader.readAll();
      await this.#bringingUp;
      this.#phases.note("reading", began);
      if (end === "grown") {
        const carried = { state: state.carried, pauses: this.#pauses, phases: this.#phases.all };
        await continueAsNew<typeof sync>({ ...input, carried });
      }
    } catch (error) {
      this.#phases.note("reading", began);
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      // What was committed before stays as it is.
      state.giveUp(reasonOf(error));
    }
  }

  /**
   * While the run only waits for retries, and from time to time while it reads its last links: no link holds back the
   * others' rows.
   */
  #bringUp(): void {
    const { committedRows } = this.state;
    if (this.#bringingUp !== undefined || committedRows <= this.#broughtUp) return;
    this.#broughtUp = committedRows;
    this.#bringingUp = this.#materializeOnce().finally(() => {
      this.#bringingUp = undefined;
      this.#broughtUpAt = Date.now();
    });
  }

  #noteSlice(): void {
    this.#pauses = withPause(this.#pauses, Date.now(), this.state.pausedUntil);
    if (this.state.hasBegunAll && Date.now() - this.#broughtUpAt >= this.bringUpEveryMs) this.#bringUp();
    const { users } = this.state.totals;
    tellStatus("running", `${this.#phase}: ${users.total} of ${this.input.roster.users} users`);
  }

  /** Returns why it could not: the run's commits are kept in any case. */
  async materialize(): Promise<Failure | undefined> {
    const { runId } = this.input;
    this.#phase = "materializing";
    try {
      await this.#phases.during("materializing", materialize({ runId }));
      return undefined;
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { stream: "transactions", owner: MATERIALIZE, reason: reasonOf(error) };
    }
  }

  async #materializeOnce(): Promise<void> {
    try {
      await materializeOnce({ runId: this.input.runId });
    } catch (error) {
      if (isCancellation(error)) return;
      runLog.warn(
        { error: reasonOf(error) },
        "could not bring transactions up to the feed while links are left; the end of the run tries again",
      );
    }
  }

  async finish(stale: Failure | undefined, cancelled?: "cancelled"): Promise<SyncSummary> {
    this.#phase = FINISHING;
    this.#phases.note(FINISHING, Date.now());
    const { runId, roster } = this.input;
    const { unauthorized, totals: sofar } = this.state;
    const { bank_links } = this.state.carried.removed;
    const read = cancelled ? sofar : withUnreadLinks(sofar, bank_links);
    const users = cancelled ? read.users : { ...read.users, total: roster.users };
    const totals = { ...(stale === undefined ? read : withFailure(read, stale)), users };
    const status = cancelled ?? (stale === undefined ? endStatus(totals, unauthorized) : "failed");
    const { why, lake_root = null, open = null, lists = [], ...ended } = await this.end(status, totals);
    const quarantine = { new: totals.rows.quarantined, open };
    return { run_id: runId, status, ...why, ...totals, lists, quarantine, ...ended, lake_root, unauthorized };
  }

  async end(status: RunStatus, totals: SyncTotals) {
    const { carried: _, ...run } = this.input;
    const why = endOfSync(status, totals, this.state.unauthorized);
    const phases = this.#phases.all;
    const paused = pausedMs(this.#pauses, Date.now());
    const ended = await finishRun({ ...run, totals, pausedMs: paused, phases, status, why });
    tellStatus(status, `${status}: ${totals.links.failed} links and ${totals.users.failed} users failed`);
    return { ...ended, why };
  }
}
