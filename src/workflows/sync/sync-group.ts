import { ActivityFailure, continueAsNew, isCancellation, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { ObservedUser } from "../../activities/sync/read/observed-pages.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { groupOwner, noTotals, type SyncTotals } from "../../domain/sync/sync-totals.js";
import { reasonOf } from "../failure-reason.js";
import { HEARTBEATING } from "../policies.js";
import type { CarriedGroup } from "./carried-group.js";
import { discoverUsers } from "./discover-users.js";
import { GroupState } from "./group-state.js";
import { ProgressTeller } from "./progress-teller.js";
import { Publisher } from "./publisher.js";
import { Reader } from "./reader.js";

const { observeGroup, planGroup } = proxyActivities<Activities>(HEARTBEATING);

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
 * and committed (docs/architecture.md, "A run"). What goes wrong with a link stays with that link.
 */
export async function syncGroup(input: SyncGroupInput): Promise<SyncGroupResult> {
  const { carried, users } =
    input.carried === null ? await begin(input) : { carried: input.carried, users: [] };
  const state = new GroupState(carried, {
    full: input.options.full,
    secondTry: input.again !== null,
    random: Math.random,
  });
  try {
    await read(input, state, users);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    giveUp(input, state, error);
  }
  const { totals, notReady, size, unauthorized, plan } = state;
  return { totals, notReady, size, unauthorized, plan: plan === "" ? null : plan };
}

/** A group as its reading begins, and the users whose present look is still to be committed. */
interface BegunGroup {
  readonly carried: CarriedGroup;
  readonly users: readonly ObservedUser[];
}

async function begin(input: SyncGroupInput): Promise<BegunGroup> {
  const { runId, group, options, again } = input;
  if (again !== null) return { carried: GroupState.begin(again.plan, again.links, input.size), users: [] };
  const found = await discoverUsers({ runId, group, users: input.users, options });
  const { totals, users, failed, unauthorized } = found;
  if (unauthorized) {
    return { carried: { ...GroupState.begin("", [], input.size), totals, unauthorized }, users: [] };
  }
  const { streams, links: only } = options;
  const planned = await planGroup({ runId, group, streams, only, users, failed });
  const waiting = Array.from({ length: planned.links }, (_, link) => link);
  return { carried: { ...GroupState.begin(planned.plan, waiting, input.size), totals }, users };
}

/** Commits what the users look like now; nothing of their links is committed before. */
async function observe(
  { runId, group, options }: SyncGroupInput,
  users: readonly ObservedUser[],
  state: GroupState,
): Promise<void> {
  if (users.length === 0) return;
  const { quarantined } = await observeGroup({
    runId,
    group,
    streams: options.streams,
    links: options.links,
    users,
  });
  const { rows, ...none } = noTotals();
  state.count({ ...none, rows: { ...rows, quarantined } });
}

/** Reads until nothing is open, or the history has grown enough. */
async function read(input: SyncGroupInput, state: GroupState, users: readonly ObservedUser[]): Promise<void> {
  const ref = { runId: input.runId, group: groupName(input), plan: state.plan };
  const publisher = new Publisher(input.options, state, ref, observe(input, users, state));
  const teller = new ProgressTeller(input.group, state);
  const reader = new Reader(input.options, state, ref, publisher, teller);
  if ((await reader.run()) === "done") return;
  await continueAsNew<typeof syncGroup>({ ...input, carried: state.carry() });
}

function groupName({ group, again }: SyncGroupInput): string {
  return groupOwner(group, again !== null);
}

/** What can't be committed fails, with the reason; everything committed before stays as it is. */
function giveUp(input: SyncGroupInput, state: GroupState, error: ActivityFailure): void {
  const none = noTotals();
  state.count({ ...none, links: { ...none.links, failed: state.unfinished() } });
  state.fail({ stream: "transactions", owner: groupName(input), reason: reasonOf(error) });
}
