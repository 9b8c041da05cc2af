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
import { type NamedFailure, nothingWaits, waitingState } from "../../domain/waiting.js";
import { HEARTBEATING, SLICE_BUDGET_MS } from "../policies.js";
import { advanceAll } from "../slices.js";
import { ProgressTeller } from "./progress-teller.js";

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
  const failedUsers: FailedUser[] = [];
  let totals: SyncTotals = { ...noTotals(), users: { total: input.users, failed: 0 } };
  const failures = new Map<number, NamedFailure>();
  let waiting = nothingWaits();
  const none = { linksTotal: 0, linksDone: 0, rowsRead: 0, rowsCommitted: 0 };
  const teller = new ProgressTeller(group, () => ({ ...none, ...waiting }));
  const end = await advanceAll<UserProgress, DiscoveredUser>(fresh, {
    async slice(due) {
      const slice = await discover({ runId, group, streams, links, users: due, budgetMs: SLICE_BUDGET_MS });
      totals = addTotals(totals, { ...noTotals(), calls: slice.calls });
      return { results: slice.users, at: slice.at, gateUntil: slice.gateUntil };
    },
    judge({ progress, outcome, failed, failure }, at) {
      if (failure !== undefined) failures.set(progress.user, failure);
      const verdict = afterUserOutcome(progress, outcome, at, Math.random());
      if (verdict.kind === "done") users.push({ user: progress.user, attempt: progress.attempt });
      if (verdict.kind === "failed") {
        failedUsers.push({ user: progress.user, reason: verdict.reason });
        totals = failedUser(totals, failed ?? "", verdict.reason);
      }
      return verdict;
    },
    note(open, gateUntil) {
      const named = open.map((user) => ({ ...user, failure: failures.get(user.user) }));
      waiting = waitingState(named, gateUntil);
    },
    pause: (ms) => teller.pause(ms),
  });
  if (end === "stopped") return { users: [], failed: failedUsers, totals, unauthorized: true };
  return { users: users.sort((a, b) => a.user - b.user), failed: failedUsers, totals, unauthorized: false };
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
