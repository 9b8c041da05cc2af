import {
  CancellationScope,
  continueAsNew,
  defineQuery,
  proxyActivities,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { StartedBulk } from "../../domain/bulk/bulk-job.js";
import {
  addBulkTotals,
  type BulkProgress,
  type BulkSummary,
  type BulkTotals,
  bulkStatus,
  noBulkTotals,
} from "../../domain/bulk/bulk-totals.js";
import { NO_PAUSES, type Pauses, withPause } from "../../domain/pauses.js";
import { allWaiting, throttledUntil, type WaitingState } from "../../domain/waiting.js";
import { reasonOf } from "../failure-reason.js";
import { GROUPS_AT_ONCE, HEARTBEATING } from "../policies.js";
import { tellStatus } from "../run-details.js";
import { runLog } from "../run-log.js";
import { workGroup } from "./work-group.js";

const { publishRun, finishBulk } = proxyActivities<Activities>(HEARTBEATING);

interface BulkInput extends StartedBulk {
  readonly carried?: CarriedRun;
}

/** What a run carries through continue-as-new. */
interface CarriedRun {
  readonly nextGroup: number;
  readonly totals: BulkTotals;
  readonly stopped: "failed" | "cancelled" | null;
  /** The service refused the credentials. */
  readonly unauthorized: boolean;
  readonly pauses?: Pauses;
}

/** Result of a run; `unauthorized` tells a refused key from every other failure. */
export interface BulkResult extends BulkSummary {
  readonly unauthorized: boolean;
}

/**
 * Runs a bulk job: works on its groups of rows, a few at a time, publishes what its kind publishes, and writes the
 * run's row. A cancelled run keeps what it has done: it waits for calls that were sent, and writes their rows.
 */
export async function bulkJob(input: BulkInput): Promise<BulkResult> {
  const state = new RunState(input);
  const { carried, runId, kind, rows } = input;
  if (!carried) runLog.info({ run_id: runId, kind, rows }, "run begins");
  setHandler(defineQuery<BulkProgress>("progress"), () => state.progress);
  return CancellationScope.nonCancellable(async () => {
    await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, () => workGroups(state)));
    if (state.continues) return continueAsNew<typeof bulkJob>({ ...input, carried: state.run });
    const told = await publish(input, state);
    return finish(input, state, told);
  });
}

class RunState {
  run: CarriedRun;
  phase: BulkProgress["phase"] = "working";
  readonly groups: number;
  readonly #scope = CancellationScope.current();
  /** What each group waits for, by the group's number. */
  readonly #waiting = new Map<number, WaitingState>();

  constructor(private readonly input: BulkInput) {
    const { carried, rows, groupRows } = input;
    this.run = carried ?? { nextGroup: 0, totals: noBulkTotals(), stopped: null, unauthorized: false };
    this.groups = Math.ceil(rows / groupRows);
  }

  get progress(): BulkProgress {
    const { runId, rows } = this.input;
    const waiting = allWaiting([...this.#waiting.values()]);
    return { runId, rows, phase: this.phase, totals: this.run.totals, ...waiting };
  }

  /** Why no further slice begins; null while one may. */
  get stopped(): CarriedRun["stopped"] {
    return this.run.stopped ?? (this.#scope.consideredCancelled ? "cancelled" : null);
  }

  /** Whether groups are left for a new history. */
  get continues(): boolean {
    return this.stopped === null && this.run.nextGroup < this.groups;
  }

  takeGroup(): number | undefined {
    if (!this.continues || workflowInfo().continueAsNewSuggested) return undefined;
    const group = this.run.nextGroup;
    this.run = { ...this.run, nextGroup: group + 1 };
    return group;
  }

  /** Works on a group, and stops the run where the group can't be finished. */
  async workOn(group: number): Promise<void> {
    try {
      await workGroup(this.input, group, {
        count: (totals) => this.count(totals),
        wait: (waiting) => this.#wait(group, waiting),
        isStopped: () => this.stopped !== null,
        refuse: () => {
          this.run = { ...this.run, stopped: "failed", unauthorized: true };
        },
      });
    } catch (error) {
      this.fail(error);
    } finally {
      this.#waiting.delete(group);
    }
  }

  count(totals: BulkTotals): void {
    this.run = { ...this.run, totals: addBulkTotals(this.run.totals, totals) };
    const { done, failed } = this.run.totals.rows;
    tellStatus("running", `${this.phase}: ${done} of ${this.input.rows} rows done, ${failed} failed`);
  }

  /** Ends the run with what it has done, because a step failed for good. */
  fail(error: unknown): void {
    this.run = { ...this.run, stopped: "failed", unauthorized: false };
    const failures = [{ line: 0, owner: "", reason: reasonOf(error) }];
    this.count({ ...noBulkTotals(), failures, failures_total: 1 });
  }

  #wait(group: number, waiting: WaitingState): void {
    this.#waiting.set(group, waiting);
    const until = throttledUntil(waiting);
    this.run = { ...this.run, pauses: withPause(this.run.pauses ?? NO_PAUSES, Date.now(), until) };
  }
}

async function workGroups(state: RunState): Promise<void> {
  for (let group = state.takeGroup(); group !== undefined; group = state.takeGroup()) {
    await state.workOn(group);
  }
}

async function publish(input: BulkInput, state: RunState): Promise<Readonly<Record<string, unknown>>> {
  if (!input.packs || state.stopped !== null) return {};
  state.phase = "publishing";
  const { runId, kind, staging, startedAt } = input;
  try {
    return await publishRun({ runId, kind, staging, groups: state.groups, startedAt });
  } catch (error) {
    state.fail(error);
    return {};
  }
}

async function finish(
  { carried: _, groupRows: __, packs: ___, rows: total, ...started }: BulkInput,
  state: RunState,
  told: Readonly<Record<string, unknown>>,
): Promise<BulkResult> {
  state.phase = "finishing";
  const { stopped, run } = state;
  const totals = { ...run.totals, rows: { ...run.totals.rows, total } };
  const status = bulkStatus(totals, stopped);
  const pausedMs = run.pauses?.ms ?? 0;
  const ended = { ...started, status, totals, groups: run.nextGroup, pausedMs };
  const { duration_ms } = await finishBulk(ended);
  tellStatus(status, `${status}: ${totals.rows.done} rows done, ${totals.rows.failed} failed`);
  const result = { run_id: started.runId, job: started.kind, status, ...totals, ...told };
  return { ...result, duration_ms, unauthorized: run.unauthorized };
}
