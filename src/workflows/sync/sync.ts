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
import type { Pauses } from "../../domain/pauses.js";
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
import { allWaiting } from "../../domain/waiting.js";
import { reasonOf } from "../failure-reason.js";
import { GROUPS_AT_ONCE, HEARTBEATING } from "../policies.js";
import { tellStatus } from "../run-details.js";
import { DroppedGroups } from "./dropped-groups.js";
import { GoingGroups } from "./going-groups.js";
import { groupProgressSignal, type SyncProgress, syncProgressQuery } from "./messages.js";
import { Stragglers } from "./stragglers.js";
import { type SyncGroupInput, type SyncGroupResult, syncGroup } from "./sync-group.js";

const { materialize, markSeen, finishRun } = proxyActivities<Activities>(HEARTBEATING);

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
  readonly pauses?: Pauses;
}

/** Result of a run; `unauthorized` tells a refused key from every other failure. */
export interface SyncResult extends SyncSummary {
  readonly unauthorized: boolean;
}

/** Syncs the users of a frozen roster, group by group, then materializes and writes the run's row. */
export async function sync(input: SyncInput): Promise<SyncResult> {
  let run = input.carried ?? firstGroups(input);
  if (!input.carried)
    log.info("run begins", { run_id: input.runId, kind: "sync", users: input.roster.users });
  let phase: SyncProgress["phase"] = "reading";
  const going = new GoingGroups(run.pauses);
  const stragglers = new Stragglers(input.runId);
  const look = () => stragglers.look(going.all, rowsOf(run.totals));
  setHandler(groupProgressSignal, (progress) => {
    going.take(progress);
    look();
  });
  setHandler(syncProgressQuery, () => ({
    runId: input.runId,
    usersTotal: input.roster.users,
    usersDone: run.totals.users.total,
    phase,
    totals: run.totals,
    linksAgain: run.notReady.reduce((sum, { links }) => sum + links.length, 0),
    groups: going.all,
    ...allWaiting(going.all),
  }));
  const drops = new DroppedGroups();
  const end = (status: RunStatus) => finish(input, run.totals, going.pauses, status);
  try {
    const onProgress = (progress: CarriedRun) => {
      run = progress;
      tellStatus("running", `${phase}: ${run.totals.users.total} of ${input.roster.users} users`);
    };
    const beside: Beside = { going, drops, stragglers, look, onProgress };
    run = await readGroups(input, run, beside);
    run = await readAgain(input, run, beside);
    await stragglers.ended();
    phase = "materializing";
    const [stale] = await Promise.all([bringUp(input.runId), drops.ended()]);
    if (stale !== undefined) run = { ...run, totals: withFailure(run.totals, stale) };
    phase = "finishing";
    run = { ...run, totals: { ...run.totals, users: { ...run.totals.users, total: input.roster.users } } };
    const status = stale === undefined ? endStatus(run.totals, run.unauthorized) : "failed";
    const { duration_ms, open = null } = await end(status);
    const quarantine = { new: run.totals.rows.quarantined, open };
    const { unauthorized } = run;
    return { run_id: input.runId, status, ...run.totals, quarantine, duration_ms, unauthorized };
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => end("cancelled"));
    throw error;
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

/** What goes on beside the groups. */
interface Beside {
  readonly going: GoingGroups;
  readonly drops: DroppedGroups;
  readonly stragglers: Stragglers;
  /** Looks whether the groups that are going on only wait. */
  look(): void;
  onProgress(run: CarriedRun): void;
}

/** Runs the groups that are left, a few at a time, and continues as new once the history has grown. */
async function readGroups(input: SyncInput, start: CarriedRun, beside: Beside): Promise<CarriedRun> {
  const { going, drops, look, onProgress } = beside;
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
    look();
  };
  await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, lane));
  if (run.nextGroup < groups && !run.unauthorized) await goOnAsNew(input, run, beside);
  return run;
}

/**
 * Links whose history was not ready get one more try at the end of the run
 * (docs/architecture.md, "Sync rules").
 */
async function readAgain(input: SyncInput, start: CarriedRun, beside: Beside): Promise<CarriedRun> {
  const { going, onProgress } = beside;
  let run = start;
  for (;;) {
    const [next, ...notReady] = run.notReady;
    if (next === undefined || run.unauthorized) return run;
    if (hasGrown()) await goOnAsNew(input, run, beside);
    onProgress({ ...run, notReady });
    const { group, plan, links } = next;
    const result = await runGroup(groupInput(input, group, run.size, { plan, links }), going);
    run = withGroup({ ...run, notReady }, group, result);
    onProgress(run);
  }
}

/** Whether the rest of the run belongs into a new history; groups that are going on end in this one. */
function hasGrown(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

async function goOnAsNew(
  input: SyncInput,
  run: CarriedRun,
  { drops, stragglers, going }: Beside,
): Promise<never> {
  await Promise.all([drops.ended(), stragglers.ended()]);
  return continueAsNew<typeof sync>({ ...input, carried: { ...run, pauses: going.pauses } });
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

async function runGroup(group: SyncGroupInput, going: GoingGroups): Promise<SyncGroupResult> {
  going.begin(group.group, group.again === null ? group.users : 0);
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
    going.end(group.group);
  }
}

function rowsOf({ rows: { created, updated, removed } }: SyncTotals): number {
  return created + updated + removed;
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
  { ms: pausedMs }: Pauses,
  status: RunStatus,
) {
  const ended = await finishRun({ ...run, totals, pausedMs, status });
  tellStatus(status, `${status}: ${totals.links.failed} links and ${totals.users.failed} users failed`);
  return ended;
}
