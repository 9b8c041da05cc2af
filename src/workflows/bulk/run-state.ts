import { CancellationScope, workflowInfo } from "@temporalio/workflow";
import type { StartedBulk } from "../../domain/bulk/bulk-job.js";
import {
  addBulkTotals,
  type BulkProgress,
  type BulkTotals,
  noBulkTotals,
} from "../../domain/bulk/bulk-totals.js";
import { NO_PAUSES, type Pauses, withPause } from "../../domain/pauses.js";
import { allWaiting, throttledUntil, type WaitingState } from "../../domain/waiting.js";
import { reasonOf } from "../failure-reason.js";
import { tellStatus } from "../run-details.js";

export interface BulkInput extends StartedBulk {
  readonly carried?: CarriedRun;
}

interface CarriedRun {
  readonly nextGroup: number;
  readonly totals: BulkTotals;
  readonly stopped: "failed" | "cancelled" | null;
  /** The service refused the credentials. */
  readonly unauthorized: boolean;
  readonly pauses?: Pauses;
}

/** The state of a bulk run: what it carries, and what its groups tell it. */
export class RunState {
  run: CarriedRun;
  phase: BulkProgress["phase"] = "working";
  readonly groups: number;
  readonly #scope = CancellationScope.current();
  /** What each group waits for, by its number. */
  readonly #waiting = new Map<number, WaitingState>();

  constructor(readonly input: BulkInput) {
    const { carried, rows, groupRows, groups } = input;
    this.run = carried ?? { nextGroup: 0, totals: noBulkTotals(), stopped: null, unauthorized: false };
    this.groups = groups ?? Math.ceil(rows / groupRows);
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

  count(totals: BulkTotals): void {
    this.run = { ...this.run, totals: addBulkTotals(this.run.totals, totals) };
    const { done, failed } = this.run.totals.rows;
    tellStatus("running", `${this.phase}: ${done} of ${this.input.rows} rows done, ${failed} failed`);
  }

  /** Ends the run with what it has done: a step failed for good. */
  fail(error: unknown): void {
    this.run = { ...this.run, stopped: "failed", unauthorized: false };
    const failures = [{ line: 0, owner: "", reason: reasonOf(error) }];
    this.count({ ...noBulkTotals(), failures, failures_total: 1 });
  }

  /** Notes what a group waits for now. */
  wait(group: number, waiting: WaitingState): void {
    this.#waiting.set(group, waiting);
    const until = throttledUntil(waiting);
    this.run = { ...this.run, pauses: withPause(this.run.pauses ?? NO_PAUSES, Date.now(), until) };
  }

  endGroup(group: number): void {
    this.#waiting.delete(group);
  }

  /** The service refused the credentials. */
  refuse(): void {
    this.run = { ...this.run, stopped: "failed", unauthorized: true };
  }
}
