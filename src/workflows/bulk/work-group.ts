import { condition, proxyActivities } from "@temporalio/workflow";
import type { ItemProgress } from "../../activities/bulk/work-items.js";
import type { Activities } from "../../activities/create-activities.js";
import { UNTRIED } from "../../domain/backoff.js";
import type { FailedItem } from "../../domain/bulk/bulk-job.js";
import { afterRowOutcome } from "../../domain/bulk/row-outcome.js";
import { moreUnauthorized, type Unauthorized } from "../../domain/failures.js";
import { gateMs, type NamedFailure, waitingState } from "../../domain/waiting.js";
import { GROUPS_AT_ONCE, HEARTBEATING, SLICE_BUDGET_MS } from "../policies.js";
import type { RunState } from "./run-state.js";

const { planItems, workItems, closeGroup } = proxyActivities<Activities>(HEARTBEATING);

/** Works on one group of rows until each of its items has ended, or the run stops; then closes it. */
export async function workGroup(run: RunState, group: number): Promise<void> {
  const { runId, kind, staging } = run.input;
  const place = { runId, kind, staging, group };
  const plan = await planItems(place);
  run.count(plan.totals);
  const isStopped = () => run.stopped !== null;
  const results: (readonly string[])[] = [];
  const failed: FailedItem[] = [];
  const failures = new Map<number, NamedFailure>();
  /** How many rows of the run had been answered when an item began to fail. */
  const answered = new Map<number, number>();
  let unauthorized: Unauthorized = false;
  // Groups begin together; were their slices equally long, all would end together and no call would be in flight.
  let budgetMs = SLICE_BUDGET_MS * (1 - (group % GROUPS_AT_ONCE) / GROUPS_AT_ONCE);
  let open: ItemProgress[] = Array.from({ length: plan.items }, (_, item) => ({ ...UNTRIED, item }));
  let { continued } = run;
  const isContinued = () => run.continued !== continued;
  while (open.length > 0 && !isStopped()) {
    if (isContinued()) {
      continued = run.continued;
      open = open.map((item) => ({ ...item, notBefore: 0 }));
    }
    const due = open.filter(({ notBefore }) => notBefore <= Date.now());
    if (due.length === 0) {
      const next = Math.min(...open.map(({ notBefore }) => notBefore));
      await condition(() => isStopped() || isContinued(), Math.max(1, next - Date.now()));
      continue;
    }
    const slice = await workItems({ ...place, items: due, budgetMs });
    budgetMs = SLICE_BUDGET_MS;
    // What the slice itself has done counts too: a small run has no other.
    const before = run.run.totals.rows.done;
    run.count(slice.totals);
    results.push(slice.results);
    open = open.filter((item) => !due.includes(item));
    for (const { progress, outcome, failure } of slice.items) {
      const { item } = progress;
      if (failure !== undefined) failures.set(item, failure);
      const { done } = run.run.totals.rows;
      const began = progress.streak === null ? before : (answered.get(item) ?? before);
      answered.set(item, began);
      const others = { answered: done - began, failing: Math.max(0, run.progress.waiting_total - 1) };
      const verdict = afterRowOutcome(progress, outcome, slice.at, Math.random(), others);
      if (verdict.kind === "again") open.push(verdict.progress);
      if (verdict.kind === "stop") unauthorized = moreUnauthorized(unauthorized, verdict.unauthorized);
      if (verdict.kind !== "failed") continue;
      const { reason, refused } = verdict;
      failed.push({ item, reason, ...(refused && { refused }) });
    }
    if (unauthorized) break;
    const unfinished = open.map((one) => ({ ...one, failure: failures.get(one.item) }));
    run.wait(group, waitingState(unfinished, slice), slice.pausedUntil);
    const pause = gateMs(slice);
    if (pause > 0) await condition(isStopped, pause);
  }
  run.count(await closeGroup({ ...place, results: results.flat(), failed }));
  if (unauthorized) run.refuse(unauthorized);
}
