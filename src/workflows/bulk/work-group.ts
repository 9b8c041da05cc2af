import { condition, proxyActivities } from "@temporalio/workflow";
import type { ItemProgress, WorkedItem } from "../../activities/bulk/work-items.js";
import type { Activities } from "../../activities/create-activities.js";
import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import type { BulkTotals } from "../../domain/bulk/bulk-totals.js";
import type { FailedItem } from "../../domain/bulk/frozen-row.js";
import { afterItemOutcome, UNTRIED } from "../../domain/item-state.js";
import { type NamedFailure, type WaitingState, waitingState } from "../../domain/waiting.js";
import { GROUPS_AT_ONCE, HEARTBEATING, SLICE_BUDGET_MS } from "../policies.js";
import { advanceAll } from "../slices.js";

const { planItems, workItems, closeGroup } = proxyActivities<Activities>(HEARTBEATING);

/** What a group tells and asks its run. */
interface GroupHooks {
  count(totals: BulkTotals): void;
  /** Notes what the group waits for now. */
  wait(waiting: WaitingState): void;
  /** Notes that the service refused the credentials. */
  refuse(): void;
  /** Whether no further slice may begin. */
  isStopped(): boolean;
}

/** Works on one group of rows until each of its items has ended, or the run stops; then closes it. */
export async function workGroup(
  { runId, kind, staging }: BulkRun,
  group: number,
  { count, wait, refuse, isStopped }: GroupHooks,
): Promise<void> {
  const place = { runId, kind, staging, group };
  const plan = await planItems(place);
  count(plan.totals);
  const results: string[] = [];
  const failed: FailedItem[] = [];
  const failures = new Map<number, NamedFailure>();
  let unauthorized = false;
  // Groups begin together; were their slices equally long, all would end together and no call would be in flight.
  let budgetMs = SLICE_BUDGET_MS * (1 - (group % GROUPS_AT_ONCE) / GROUPS_AT_ONCE);
  const fresh = Array.from({ length: plan.items }, (_, item) => ({ ...UNTRIED, item }));
  await advanceAll<ItemProgress, WorkedItem>(fresh, {
    async slice(items) {
      const slice = await workItems({ ...place, items, budgetMs });
      budgetMs = SLICE_BUDGET_MS;
      count(slice.totals);
      if (slice.results !== null) results.push(slice.results);
      return { results: slice.items, at: slice.at, gateUntil: slice.gateUntil };
    },
    judge({ progress, outcome, failure }, at) {
      if (failure !== undefined) failures.set(progress.item, failure);
      const verdict = afterItemOutcome(progress, outcome, at, Math.random());
      if (verdict.kind === "failed") {
        const { reason, refused } = verdict;
        failed.push({ item: progress.item, reason, ...(refused && { refused }) });
      }
      if (verdict.kind === "stop") unauthorized = true;
      return verdict;
    },
    note(open, gateUntil) {
      const unfinished = open.map((item) => ({ ...item, failure: failures.get(item.item) }));
      wait(waitingState(unfinished, gateUntil));
    },
    pause: (ms) => condition(isStopped, ms),
    stops: isStopped,
  });
  count(await closeGroup({ ...place, results, failed }));
  if (unauthorized) refuse();
}
