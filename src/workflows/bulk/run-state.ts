import { CancellationScope, workflowInfo } from "@temporalio/workflow";
import type { StartedBulk } from "../../domain/bulk/bulk-job.js";
import { type BulkProgress, type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import { addTotals } from "../../domain/counts.js";
import { moreUnauthorized, type Unauthorized } from "../../domain/failures.js";
import type { Phases } from "../../domain/phases.js";
import { allWaiting, NO_PAUSES, type Pauses, type WaitingState, withPause } from "../../domain/waiting.js";
import { reasonOf } from "../failure-reason.js";
import { tellStatus } from "../run-details.js";
import { RunPhases } from "../run-phases.js";

export interface BulkInput extends StartedBulk {
  readonly carried?: CarriedRun;
}

interface CarriedRun {
  readonly nextGroup: number;
  readonly totals: BulkTotals;
  readonly stopped: "failed" | "cancelled" | null;
  /** The service refused the credentials. */
  readonly unauthorized: Unauthorized;
  readonly pauses: Pauses;
  readonly phases: Phases;
}

/** The state of a bulk run: what it carries, and what its groups tell it. */
export class RunState {
  run: CarriedRun;
  phase: BulkProgress["phase"] = "working";
  readonly groups: number;
  readonly phases: RunPhases;
  readonly #scope = CancellationScope.current();
  /** How often the user had it continue. */
  continued = 0;
  /** What each group waits for, by its number. */
  readonly #groups = new Map<number, WaitingState>();

  constructor(readonly input: BulkInput) {
    const { carried, groups } = input;
    const begun = { nextGroup: 0, stopped: null, unauthorized: false, pauses: NO_PAUSES };
    this.run = carried ?? { ...begun, totals: noBulkTotals(), phases: {} };
    this.groups = groups;
    this.phases = new RunPhases(this.run.phases);
  }

  get progress(): BulkProgress {
    const { runId, rows } = this.input;
    const groups = [...this.#groups.values()];
    return { runId, rows, phase: this.phase, totals: this.run.totals, ...allWaiting(groups) };
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
    this.run = { ...this.run, totals: addTotals(this.run.totals, totals) };
    const { done, failed } = this.run.totals.rows;
    tellStatus("running", `${this.phase}: ${done} of ${this.input.rows} rows done, ${failed} failed`);
  }

  /** Counts rows as failed that were counted as done. */
  refute(refuted: BulkTotals): void {
    const { totals } = this.run;
    const done = totals.rows.done - refuted.rows.failed;
    this.run = { ...this.run, totals: { ...totals, rows: { ...totals.rows, done } } };
    this.count(refuted);
  }

  /** Ends the run with what it has done: a step failed for good. */
  fail(error: unknown): void {
    // It goes first, because it is why the run ended.
    const failure = { failures: [{ line: 0, owner: "", reason: reasonOf(error) }], failures_total: 1 };
    const totals = addTotals({ ...noBulkTotals(), ...failure }, this.run.totals);
    this.run = { ...this.run, totals, stopped: "failed", unauthorized: false };
    this.count(noBulkTotals());
  }

  wait(group: number, waiting: WaitingState, pausedUntil: number | null = null): void {
    this.#groups.set(group, waiting);
    this.run = { ...this.run, pauses: withPause(this.run.pauses, Date.now(), pausedUntil) };
  }

  endGroup(group: number): void {
    this.#groups.delete(group);
  }

  /** The user has the run continue: what waits is tried now. */
  tryNow(): void {
    this.continued += 1;
  }

  /** The service refused the credentials. */
  refuse(unauthorized: Unauthorized): void {
    const why = moreUnauthorized(this.run.unauthorized, unauthorized);
    this.run = { ...this.run, stopped: "failed", unauthorized: why };
  }
}
