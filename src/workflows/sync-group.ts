import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/create-activities.js";
import type { GroupRef } from "../activities/group-plan.js";
import type { SyncOptions } from "../domain/job.js";
import { addTotals, noTotals, type SyncTotals, withFailure } from "../domain/sync-totals.js";
import { discoverUsers } from "./discover-users.js";
import { type CarriedGroup, GroupState } from "./group-state.js";
import { groupProgressSignal } from "./messages.js";
import { BRIEF, HEARTBEATING, LINKS_AT_ONCE, LINKS_PER_SLICE, SLICE_BUDGET_MS } from "./policies.js";
import { Publisher } from "./publisher.js";

const { extract, planGroup } = proxyActivities<Activities>(HEARTBEATING);
const { admitLinks } = proxyActivities<Activities>(BRIEF);

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

/** Reads until nothing is open; loading and committing go on beside the next slices. */
async function read(input: SyncGroupInput, state: GroupState): Promise<void> {
  const askedSize = input.options.pageSize;
  const ref = { runId: input.runId, group: groupName(input), plan: state.plan };
  const publisher = new Publisher(input.options, state, ref);
  try {
    while (state.reading) {
      const due = state.due(Date.now(), LINKS_PER_SLICE);
      const toAdmit = state.toAdmit(LINKS_AT_ONCE);
      if (due.length === 0 && toAdmit.length === 0) {
        await publisher.flush();
        await untilDue(state);
        continue;
      }
      const [slice] = await Promise.all([
        due.length === 0 ? undefined : extract({ ...ref, links: due, budgetMs: SLICE_BUDGET_MS }),
        admit(state, ref, toAdmit),
      ]);
      if (slice === undefined) continue;
      state.applySlice(slice.links, askedSize, slice.at);
      state.totals = addTotals(state.totals, { ...noTotals(), calls: slice.calls });
      await publisher.publish();
      if (state.reading) await tellRun(input, state);
      if (slice.gateUntil !== null && slice.gateUntil > slice.at) await sleep(slice.gateUntil - slice.at);
      if (workflowInfo().continueAsNewSuggested) {
        await publisher.idle();
        await continueAsNew<typeof syncGroup>({ ...input, carried: state.carry() });
      }
      // A page found torn while it was loaded begins its link anew.
      if (!state.reading) await publisher.flush();
    }
    await publisher.flush();
  } finally {
    await publisher.idle().catch(() => undefined);
  }
}

function groupName({ group, again }: SyncGroupInput): string {
  return again === null ? `g${group}` : `g${group}-again`;
}

async function admit(state: GroupState, ref: GroupRef, links: readonly number[]): Promise<void> {
  if (links.length > 0) state.admit(await admitLinks({ ...ref, links }));
}

/** Waits for the first link whose wait ends; no timer where one is due by now. */
async function untilDue(state: GroupState): Promise<void> {
  const wait = (state.nextDue() ?? 0) - Date.now();
  if (wait > 0) await sleep(wait);
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
