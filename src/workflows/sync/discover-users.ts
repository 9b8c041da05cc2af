import { proxyActivities, sleep } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { ObservedUser } from "../../activities/sync/read/observed-pages.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { addTotals, noTotals, type SyncTotals } from "../../domain/sync/sync-totals.js";
import { afterUserOutcome, type UserProgress } from "../../domain/sync/user-reading.js";
import { HEARTBEATING, SLICE_BUDGET_MS } from "../policies.js";

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
  readonly totals: SyncTotals;
  readonly unauthorized: boolean;
}

/** Stages the links and accounts of a group's users, each on its own course, until none is open. */
export async function discoverUsers(input: DiscoverUsersInput): Promise<DiscoveredUsers> {
  const { runId, group } = input;
  const { streams, links } = input.options;
  let open: UserProgress[] = Array.from({ length: input.users }, (_, user) => ({
    user,
    attempt: 0,
    streak: null,
    notBefore: 0,
  }));
  const users: ObservedUser[] = [];
  let totals: SyncTotals = { ...noTotals(), users: { total: input.users, failed: 0 } };
  while (open.length > 0) {
    const due = open.filter(({ notBefore }) => notBefore <= Date.now());
    if (due.length === 0) {
      await sleep(Math.max(1, Math.min(...open.map(({ notBefore }) => notBefore)) - Date.now()));
      continue;
    }
    const slice = await discover({ runId, group, streams, links, users: due, budgetMs: SLICE_BUDGET_MS });
    totals = addTotals(totals, { ...noTotals(), calls: slice.calls });
    const reached = new Set(due.map(({ user }) => user));
    open = open.filter(({ user }) => !reached.has(user));
    for (const { progress, outcome, failed } of slice.users) {
      const verdict = afterUserOutcome(progress, outcome, slice.at, Math.random());
      if (verdict.kind === "read") open.push(verdict.progress);
      else if (verdict.kind === "done") users.push({ user: progress.user, attempt: progress.attempt });
      else if (verdict.kind === "drop") return { users: [], totals, unauthorized: true };
      else totals = failedUser(totals, failed ?? "", verdict.reason);
    }
    if (slice.gateUntil !== null && slice.gateUntil > slice.at) await sleep(slice.gateUntil - slice.at);
  }
  return { users: users.sort((a, b) => a.user - b.user), totals, unauthorized: false };
}

function failedUser(totals: SyncTotals, owner: string, reason: string): SyncTotals {
  const none = noTotals();
  const failure = { stream: reason.split(":", 1)[0] ?? "bank_links", owner, reason };
  return addTotals(totals, {
    ...none,
    users: { total: 0, failed: 1 },
    failures: [failure],
    failures_total: 1,
  });
}
