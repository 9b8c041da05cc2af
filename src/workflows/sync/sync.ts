import {
  ActivityFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { NO_PAUSES, type Pauses, withPause } from "../../domain/pauses.js";
import type { RunStatus } from "../../domain/run.js";
import type { SyncRun } from "../../domain/sync/job.js";
import { endStatus, type SyncSummary } from "../../domain/sync/sync-summary.js";
import {
  type Failure,
  MATERIALIZE,
  noTotals,
  READING,
  type SyncTotals,
  withFailure,
} from "../../domain/sync/sync-totals.js";
import { reasonOf } from "../failure-reason.js";
import { HEARTBEATING } from "../policies.js";
import { tellStatus } from "../run-details.js";
import { runLog } from "../run-log.js";
import { type SyncProgress, syncProgressQuery } from "./messages.js";
import { Publisher } from "./publisher.js";
import { Reader } from "./reader.js";
import { Stragglers } from "./stragglers.js";
import { type CarriedSync, SyncState } from "./sync-state.js";

const { materialize, markSeen, finishRun } = proxyActivities<Activities>(HEARTBEATING);

interface SyncInput extends SyncRun {
  /** Where the run stood when its history had grown. */
  readonly carried?: { readonly state: CarriedSync; readonly pauses: Pauses };
}

/** Result of a run; `unauthorized` tells a refused key from every other failure. */
export interface SyncResult extends SyncSummary {
  readonly unauthorized: boolean;
}

/**
 * Syncs the users of a frozen roster: reads them and their links in slices, while what is finished is loaded and
 * committed; then materializes and writes the run's row (docs/inside/architecture.md, "A run"). What goes wrong with a link
 * stays with that link.
 */
export async function sync(input: SyncInput): Promise<SyncResult> {
  const { runId, roster, options, carried } = input;
  if (carried === undefined) runLog.info({ run_id: runId, kind: "sync", users: roster.users }, "run begins");
  const { full, pageSize } = options;
  const state = new SyncState(
    { users: roster.users, full, pageSize, jitter: Math.random, now: Date.now() },
    carried?.state,
  );
  const run = new RunUnderWay(input, state, carried?.pauses);
  try {
    await run.read();
    const stale = await run.bringUp();
    return await run.finish(stale);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => run.end("cancelled", state.totals));
    throw error;
  }
}

/** One run, phase by phase. */
class RunUnderWay {
  #phase: SyncProgress["phase"] = "reading";
  #pauses: Pauses;
  readonly #stragglers: Stragglers;

  constructor(
    private readonly input: SyncInput,
    private readonly state: SyncState,
    pauses = NO_PAUSES,
  ) {
    this.#pauses = pauses;
    this.#stragglers = new Stragglers(input.runId);
    setHandler(syncProgressQuery, () => this.#progress());
  }

  #progress(): SyncProgress {
    const { runId, roster } = this.input;
    const { totals, figures } = this.state;
    return { runId, usersTotal: roster.users, phase: this.#phase, totals, ...figures };
  }

  /** Reads until nothing is left, and continues as new once the history has grown. */
  async read(): Promise<void> {
    const { input, state } = this;
    const publisher = new Publisher(input.runId, input.options, state);
    const reader = new Reader(input, state, publisher, {
      read: () => this.#noteSlice(),
      waits: () => this.#stragglers.bringUp(state.committedRows),
    });
    try {
      const end = await reader.readAll();
      await this.#stragglers.ended();
      if (end === "grown") await this.#continueAsNew();
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      this.#giveUp(error);
    }
  }

  #noteSlice(): void {
    this.#pauses = withPause(this.#pauses, Date.now(), this.state.throttledUntil);
    const { users } = this.state.totals;
    tellStatus("running", `${this.#phase}: ${users.total} of ${this.input.roster.users} users`);
  }

  async #continueAsNew(): Promise<never> {
    const carried = { state: this.state.carry(), pauses: this.#pauses };
    return continueAsNew<typeof sync>({ ...this.input, carried });
  }

  /** What can't be committed fails, with the reason; everything committed before stays as it is. */
  #giveUp(error: ActivityFailure): void {
    const none = noTotals();
    this.state.count({ ...none, links: { ...none.links, failed: this.state.unfinished } });
    this.state.fail({ stream: "transactions", owner: READING, reason: reasonOf(error) });
  }

  /** Why `transactions` could not be brought up to the feed; everything that was read is committed all the same. */
  async bringUp(): Promise<Failure | undefined> {
    const { runId } = this.input;
    this.#phase = "materializing";
    try {
      await materialize({ runId });
      await noteImports(runId);
      return undefined;
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { stream: "transactions", owner: MATERIALIZE, reason: reasonOf(error) };
    }
  }

  /** Writes the run's row. */
  async finish(stale: Failure | undefined): Promise<SyncResult> {
    this.#phase = "finishing";
    const { runId, roster } = this.input;
    const { unauthorized } = this.state;
    const read = stale === undefined ? this.state.totals : withFailure(this.state.totals, stale);
    const totals = { ...read, users: { ...read.users, total: roster.users } };
    const status = stale === undefined ? endStatus(totals, unauthorized) : "failed";
    const { duration_ms, open = null } = await this.end(status, totals);
    const quarantine = { new: totals.rows.quarantined, open };
    return { run_id: runId, status, ...totals, quarantine, duration_ms, unauthorized };
  }

  async end(status: RunStatus, totals: SyncTotals) {
    const { carried: _, ...run } = this.input;
    const ended = await finishRun({ ...run, totals, pausedMs: this.#pauses.ms, status });
    tellStatus(status, `${status}: ${totals.links.failed} links and ${totals.users.failed} users failed`);
    return ended;
  }
}

/** What can't be noted now is noted by the next run. */
async function noteImports(runId: string): Promise<void> {
  try {
    await markSeen({ runId });
  } catch (error) {
    if (isCancellation(error)) throw error;
    runLog.warn(
      { error: reasonOf(error) },
      "the ledger of imports could not be brought up to what this run has read",
    );
  }
}
