import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/create-activities.js";
import type { SyncOptions } from "../domain/job.js";
import { addTotals, noTotals, type SyncTotals, withFailure } from "../domain/sync-totals.js";
import { discoverUsers } from "./discover-users.js";
import { type CarriedGroup, GroupState } from "./group-state.js";
import { groupProgressSignal } from "./messages.js";
import { HEARTBEATING } from "./policies.js";
import { Publisher } from "./publisher.js";
import { Reader } from "./reader.js";

const { planGroup } = proxyActivities<Activities>(HEARTBEATING);

export interface SyncGroupInput {
  readonly runId: string;
  /** Number of the group; its users are one file of the frozen roster. */
  readonly group: number;
  readonly users: number;
  readonly options: SyncOptions;
  /** Size that worked earlier in the run; null leaves the parameter away. */
  readonly size: number | null;
  /** Links that were not ready at the first try, of a plan that stands. */
  readonly again: { readonly plan: string; readonly links: readonly number[] } | null;
  readonly carried: CarriedGroup | null;
}

export interface SyncGroupResult {
  readonly totals: SyncTotals;
  readonly plan: string | null;
  readonly notReady: readonly number[];
  readonly size: number | null;
  readonly unauthorized: boolean;
}

/**
 * Syncs the links of about a hundred users: discover, then extract in a loop while finished links are loaded
 * and committed (DESIGN.md, Workflows). What goes wrong with a link stays with that link.
 */
export async function syncGroup(input: SyncGroupInput): Promise<SyncGroupResult> {
  const started = input.carried ?? (await begin(input));
  const state = new GroupState(started, {
    full: input.options.full,
    secondTry: input.again !== null,
    random: Math.random,
  });
  try {
    await read(input, state);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    state.totals = givenUp(input, state, error);
  }
  const { totals, notReady, size, unauthorized, plan } = state;
  return { totals, notReady, size, unauthorized, plan: plan === "" ? null : plan };
}

async function begin(input: SyncGroupInput): Promise<CarriedGroup> {
  if (input.again !== null) return GroupState.begin(input.again.plan, input.again.links, input.size);
  const { runId, group, options } = input;
  const found = await discoverUsers({ runId, group, users: input.users, streams: options.streams });
  if (found.unauthorized) {
    return { ...GroupState.begin("", [], input.size), totals: found.totals, unauthorized: true };
  }
  const { plan, links, quarantined } = await planGroup({
    runId,
    group,
    streams: options.streams,
    only: options.links,
    users: found.users,
  });
  const totals = addTotals(found.totals, { ...noTotals(), rows: { ...noTotals().rows, quarantined } });
  const waiting = Array.from({ length: links }, (_, link) => link);
  return { ...GroupState.begin(plan, waiting, input.size), totals };
}

/** Reads until nothing is open, or the history has grown enough. */
async function read(input: SyncGroupInput, state: GroupState): Promise<void> {
  const ref = { runId: input.runId, group: groupName(input), plan: state.plan };
  const publisher = new Publisher(input.options, state, ref);
  const reader = new Reader(input.options, state, ref, publisher, () => tellRun(input, state));
  if ((await reader.run()) === "done") return;
  await continueAsNew<typeof syncGroup>({ ...input, carried: state.carry() });
}

function groupName({ group, again }: SyncGroupInput): string {
  return again === null ? `g${group}` : `g${group}-again`;
}

async function tellRun(input: SyncGroupInput, state: GroupState): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  const { group } = input;
  const { links: linksTotal, linksDone } = state;
  const { created, updated, removed } = state.totals.rows;
  const rowsRead = state.entriesOpen + created + updated + removed;
  try {
    const run = getExternalWorkflowHandle(parent.workflowId);
    await run.signal(groupProgressSignal, { group, linksTotal, linksDone, rowsRead });
  } catch (error) {
    // The run may have ended: what is told is for show only.
    if (isCancellation(error)) throw error;
  }
}

/** What can't be committed fails, with the reason; everything committed before stays as it is. */
function givenUp(input: SyncGroupInput, state: GroupState, error: ActivityFailure): SyncTotals {
  const { cause } = error;
  const reason = cause instanceof ApplicationFailure ? `${cause.type}: ${cause.message}` : error.message;
  const none = noTotals();
  const failed = { ...none, links: { ...none.links, failed: state.unfinished() } };
  return withFailure(addTotals(state.totals, failed), {
    stream: "transactions",
    owner: groupName(input),
    reason: reason ?? "unknown",
  });
}
