import {
  CancellationScope,
  type ChildWorkflowHandle,
  continueAsNew,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  startChild,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { RunStatus } from "../../domain/run.js";
import type { SyncRun } from "../../domain/sync/job.js";
import { endStatus, type SyncSummary } from "../../domain/sync/sync-summary.js";
import {
  addTotals,
  type Failure,
  groupOwner,
  MATERIALIZE,
  noTotals,
  type SyncTotals,
  withFailure,
} from "../../domain/sync/sync-totals.js";
import { TASK_TIMEOUT } from "../../domain/task-timeout.js";
import { reasonOf } from "../failure-reason.js";
import { GROUPS_AT_ONCE, HEARTBEATING } from "../policies.js";
import { tellStatus } from "../run-details.js";
import { type GroupProgress, groupProgressSignal, type SyncProgress, syncProgressQuery } from "./messages.js";
import { type SyncGroupInput, type SyncGroupResult, syncGroup } from "./sync-group.js";

const { materialize, markSeen, dropGroup, finishRun } = proxyActivities<Activities>(HEARTBEATING);

interface SyncInput extends SyncRun {
  readonly carried?: CarriedRun;
}

interface NotReady {
  readonly group: number;
  readonly plan: string;
  readonly links: readonly number[];
}

/** What a run carries through continue-as-new. */
interface CarriedRun {
  readonly nextGroup: number;
  readonly totals: SyncTotals;
  readonly notReady: readonly NotReady[];
  readonly size: number | null;
  readonly unauthorized: boolean;
}

/** Result of a run; `unauthorized` tells a refused key from every other failure. */
export interface SyncResult extends SyncSummary {
  readonly unauthorized: boolean;
}

/** Syncs the users of a frozen roster, group by group, then materializes and writes the run's row. */
export async function sync(input: SyncInput): Promise<SyncResult> {
  let run = input.carried ?? firstGroups(input);
  let phase: SyncProgress["phase"] = "reading";
  const going = new Map<number, GroupProgress>();
  setHandler(groupProgressSignal, (progress) => {
    if (going.has(progress.group)) going.set(progress.group, progress);
  });
  setHandler(syncProgressQuery, () => ({
    runId: input.runId,
    usersTotal: input.roster.users,
    usersDone: run.totals.users.total,
    phase,
    totals: run.totals,
    groups: [...going.values()],
  }));
  const drops = new Drops();
  const end = (status: RunStatus) => finish(input, run.totals, status);
  try {
    run = await readGroups(input, run, going, drops, (progress) => {
      run = progress;
      tellStatus("running", `${phase}: ${run.totals.users.total} of ${input.roster.users} users`);
    });
    run = await readAgain(input, run, going, drops);
    phase = "materializing";
    const [stale] = await Promise.all([bringUp(input.runId), drops.ended()]);
    if (stale !== undefined) run = { ...run, totals: withFailure(run.totals, stale) };
    phase = "finishing";
    run = { ...run, totals: { ...run.totals, users: { ...run.totals.users, total: input.roster.users } } };
    const status = stale === undefined ? endStatus(run.totals, run.unauthorized) : "failed";
    const duration_ms = await end(status);
    return { run_id: input.runId, status, ...run.totals, duration_ms, unauthorized: run.unauthorized };
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => end("cancelled"));
    throw error;
  }
}

/** Groups whose staging is being deleted, beside whatever comes next; what fails is deleted with the run's. */
class Drops {
  #under: Promise<unknown> = Promise.resolve();

  add(runId: string, plan: string | null): void {
    if (plan === null) return;
    this.#under = Promise.all([this.#under, dropGroup({ runId, plan }).catch(() => undefined)]);
  }

  async ended(): Promise<void> {
    await this.#under;
  }
}

/** Why `transactions` could not be brought up to the feed; everything that was read is committed all the same. */
async function bringUp(runId: string): Promise<Failure | undefined> {
  try {
    await materialize({ runId });
    await noteImports(runId);
    return undefined;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { stream: "transactions", owner: MATERIALIZE, reason: reasonOf(error) };
  }
}

/** What can't be noted now is noted by the next run. */
async function noteImports(runId: string): Promise<void> {
  try {
    await markSeen({ runId });
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn("the ledger of imports could not be brought up to what this run has read", {
      error: reasonOf(error),
    });
  }
}

function firstGroups(input: SyncInput): CarriedRun {
  return {
    nextGroup: 0,
    totals: noTotals(),
    notReady: [],
    size: input.options.pageSize,
    unauthorized: false,
  };
}

type GroupHandle = ChildWorkflowHandle<typeof syncGroup>;

/** Runs the groups that are left, a few at a time, and continues as new once the history has grown. */
async function readGroups(
  input: SyncInput,
  start: CarriedRun,
  going: Map<number, GroupProgress>,
  drops: Drops,
  onProgress: (run: CarriedRun) => void,
): Promise<CarriedRun> {
  let run = start;
  const groups = Math.ceil(input.roster.users / input.roster.groupSize);
  const lane = async (): Promise<void> => {
    while (run.nextGroup < groups && !run.unauthorized && !hasGrown()) {
      const group = run.nextGroup;
      run = { ...run, nextGroup: group + 1 };
      const result = await runGroup(groupInput(input, group, run.size, null), going);
      run = withGroup(run, group, result);
      onProgress(run);
      drops.add(input.runId, result.plan);
    }
  };
  await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, lane));
  if (run.nextGroup < groups && !run.unauthorized) await goOnAsNew(input, run, drops);
  return run;
}

/**
 * Links whose history was not ready get one more try at the end of the run
 * (docs/architecture.md, "Sync rules").
 */
async function readAgain(
  input: SyncInput,
  start: CarriedRun,
  going: Map<number, GroupProgress>,
  drops: Drops,
): Promise<CarriedRun> {
  let run = start;
  for (;;) {
    const [next, ...notReady] = run.notReady;
    if (next === undefined || run.unauthorized) return run;
    if (hasGrown()) await goOnAsNew(input, run, drops);
    const { group, plan, links } = next;
    const result = await runGroup(groupInput(input, group, run.size, { plan, links }), going);
    run = withGroup({ ...run, notReady }, group, result);
  }
}

/** Whether the rest of the run belongs into a new history; groups that are going on end in this one. */
function hasGrown(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

async function goOnAsNew(input: SyncInput, run: CarriedRun, drops: Drops): Promise<never> {
  await drops.ended();
  return continueAsNew<typeof sync>({ ...input, carried: run });
}

function groupInput(
  input: SyncInput,
  group: number,
  size: number | null,
  again: SyncGroupInput["again"],
): SyncGroupInput {
  const { runId, options, roster } = input;
  const users = Math.min(roster.groupSize, roster.users - group * roster.groupSize);
  return { runId, group, users, options, size, again, carried: null };
}

async function runGroup(group: SyncGroupInput, going: Map<number, GroupProgress>): Promise<SyncGroupResult> {
  going.set(group.group, { group: group.group, linksTotal: 0, linksDone: 0, rowsRead: 0 });
  const workflowId = `${workflowInfo().workflowId}/${group.runId}/g${group.group}${group.again ? "-again" : ""}`;
  try {
    const handle: GroupHandle = await startChild(syncGroup, {
      workflowId,
      workflowTaskTimeout: TASK_TIMEOUT,
      args: [group],
    });
    return await handle.result();
  } catch (error) {
    if (isCancellation(error)) throw error;
    return failedGroup(group, error);
  } finally {
    going.delete(group.group);
  }
}

/** A group that could not even tell what went wrong never fails the run. */
function failedGroup(group: SyncGroupInput, error: unknown): SyncGroupResult {
  const totals: SyncTotals = {
    ...noTotals(),
    users: { total: group.users, failed: group.users },
    failures: [
      { stream: "users", owner: groupOwner(group.group, group.again !== null), reason: reasonOf(error) },
    ],
    failures_total: 1,
  };
  return { totals, plan: null, notReady: [], size: group.size, unauthorized: false };
}

function withGroup(run: CarriedRun, group: number, result: SyncGroupResult): CarriedRun {
  const { plan, notReady, size, unauthorized } = result;
  return {
    ...run,
    totals: addTotals(run.totals, result.totals),
    notReady:
      plan === null || notReady.length === 0
        ? run.notReady
        : [...run.notReady, { group, plan, links: notReady }],
    size,
    unauthorized: run.unauthorized || unauthorized,
  };
}

async function finish(
  { carried: _, ...run }: SyncInput,
  totals: SyncTotals,
  status: RunStatus,
): Promise<number> {
  const { duration_ms } = await finishRun({ ...run, totals, status });
  tellStatus(status, `${status}: ${totals.links.failed} links and ${totals.users.failed} users failed`);
  return duration_ms;
}
