import { getExternalWorkflowHandle, isCancellation, workflowInfo } from "@temporalio/workflow";
import { PROGRESS_LEAST_MS, PROGRESS_MOST_MS } from "../policies.js";
import type { GroupState } from "./group-state.js";
import { groupProgressSignal } from "./messages.js";

/** Of the time that a group has taken, the part after which it tells how far it is again. */
const PART = 10;

/**
 * Tells a group's run how far the group is, by the clock and the more rarely the longer it takes: each signal is
 * four events in the history of a run, which can't continue as new before its groups have ended.
 */
export class ProgressTeller {
  #toldAt = 0;

  constructor(
    private readonly group: number,
    private readonly state: GroupState,
  ) {}

  /** Tells the run, where it is time to. */
  async tell(): Promise<void> {
    const { parent, startTime } = workflowInfo();
    const took = Date.now() - startTime.getTime();
    const wait = Math.min(PROGRESS_MOST_MS, Math.max(PROGRESS_LEAST_MS, took / PART));
    if (parent === undefined || Date.now() - this.#toldAt < wait) return;
    this.#toldAt = Date.now();
    const { links: linksTotal, linksDone, entriesOpen, totals } = this.state;
    const { created, updated, removed } = totals.rows;
    const rowsRead = entriesOpen + created + updated + removed;
    try {
      const run = getExternalWorkflowHandle(parent.workflowId);
      await run.signal(groupProgressSignal, { group: this.group, linksTotal, linksDone, rowsRead });
    } catch (error) {
      // The run may have ended: what is told is for show only.
      if (isCancellation(error)) throw error;
    }
  }
}
