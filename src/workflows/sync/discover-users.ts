import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { DiscoveredUser } from "../../activities/sync/read/discover.js";
import type { ObservedUser } from "../../activities/sync/read/observed-pages.js";
import { UNTRIED } from "../../domain/item-state.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { addTotals, noTotals, type SyncTotals } from "../../domain/sync/sync-totals.js";
import {
  afterUserOutcome,
  type FailedUser,
  streamOf,
  type UserProgress,
} from "../../domain/sync/user-reading.js";
import { HEARTBEATING, SLICE_BUDGET_MS } from "../policies.js";
import { advanceAll } from "../slices.js";

const { discover } = proxyActivities<Activities>(HEARTBEATING);

interface DiscoverUsersInput {
  readonly runId: string;
  readonly group: number;
  readonly users: number;
  readonly options: SyncOptions;
}

interface DiscoveredUsers {
  /** Users whose observed streams are staged. */
  readonly users: readonly ObservedUser[];
  readonly failed: readonly FailedUser[];
  readonly totals: SyncTotals;
  readonly unauthorized: boolean;
}

/** Stages the links and accounts of a group's users, each at its own pace, until none is open. */
export async function discoverUsers(input: DiscoverUsersInput): Promise<DiscoveredUsers> {
  const { runId, group } = input;
  const { streams, links } = input.options;
  const fresh = Array.from({ length: input.users }, (_, user) => ({ ...UNTRIED, user, attempt: 0 }));
  const users: ObservedUser[] = [];
  const failures: FailedUser[] = [];
  let totals: SyncTotals = { ...noTotals(), users: { total: input.users, failed: 0 } };
  const end = await advanceAll<UserProgress, DiscoveredUser>(fresh, {
    async slice(due) {
      const slice = await discover({ runId, group, streams, links, users: due, budgetMs: SLICE_BUDGET_MS });
      totals = addTotals(totals, { ...noTotals(), calls: slice.calls });
      return { results: slice.users, at: slice.at, gateUntil: slice.gateUntil };
    },
    judge({ progress, outcome, failed }, at) {
      const verdict = afterUserOutcome(progress, outcome, at, Math.random());
      if (verdict.kind === "done") users.push({ user: progress.user, attempt: progress.attempt });
      if (verdict.kind === "failed") {
        failures.push({ user: progress.user, reason: verdict.reason });
        totals = failedUser(totals, failed ?? "", verdict.reason);
      }
      return verdict;
    },
  });
  if (end === "stopped") return { users: [], failed: failures, totals, unauthorized: true };
  return { users: users.sort((a, b) => a.user - b.user), failed: failures, totals, unauthorized: false };
}

function failedUser(totals: SyncTotals, owner: string, reason: string): SyncTotals {
  const none = noTotals();
  const failure = { stream: streamOf(reason), owner, reason };
  return addTotals(totals, {
    ...none,
    users: { total: 0, failed: 1 },
    failures: [failure],
    failures_total: 1,
  });
}
