import type { LinkProgress } from "../../domain/sync/link-progress.js";
import type { RosterRow } from "../../domain/sync/roster.js";
import { type FailedUser, streamOf } from "../../domain/sync/user-reading.js";
import type { Snapshot } from "../../lake/delta/delta-snapshot.js";
import { frozenUsers } from "../../lake/sync/frozen-roster.js";
import { linkDomain } from "../../lake/sync/link-checkpoint.js";
import { transactionChanges } from "../../lake/tables/transactions.js";
import type { Dependencies } from "../dependencies.js";
import { withHeartbeat } from "../heartbeat.js";
import { recordFailures } from "../run-failures.js";
import { listedLinks, type ObservedUser } from "./read/observed-pages.js";

/** What a group knows of one link when its reading starts. Staged, so that no history holds ids in bulk. */
export interface PlannedLink {
  readonly link_id: string;
  readonly fp_id: string;
  /** Why the link is not read; null for a connected one. */
  readonly obstacle: string | null;
  readonly base: LinkBaseState | null;
}

/** The committed state that a link's pages start from. */
interface LinkBaseState {
  readonly cursor: string | null;
  readonly generation: number;
  readonly next_sequence: number;
  readonly head: string;
  readonly last_page_sha256: string | null;
}

/** The links of a group of users, by index; written once and never changed. */
export interface GroupPlan {
  readonly links: readonly PlannedLink[];
  /** When the group began to read links: `link_syncs.started_at`. */
  readonly started_at: string;
}

/** Names the work of one group: whose run, which group, which staged documents. */
export interface GroupRef {
  readonly runId: string;
  /** `g12`; names the group's files and its commits. */
  readonly group: string;
  /** Staged name of the plan. */
  readonly plan: string;
}

interface PlanGroupInput {
  readonly runId: string;
  readonly group: number;
  /** Names of the streams that the run reads. */
  readonly streams: readonly string[];
  /** Only these links, or all. */
  readonly only: readonly string[] | null;
  readonly users: readonly ObservedUser[];
  /** Users whose links could not be listed. */
  readonly failed: readonly FailedUser[];
}

interface PlanGroupResult {
  /** Staged name of the plan. */
  readonly plan: string;
  /** Links in the plan, obstacles included. */
  readonly links: number;
}

/**
 * Fixes which links of a group are read and from which committed state. The plan gets a new name at every attempt: a late twin can't change it.
 */
export async function planGroup(deps: Dependencies, input: PlanGroupInput): Promise<PlanGroupResult> {
  return withHeartbeat(async () => {
    const startedAt = new Date().toISOString();
    const roster = await frozenUsers(deps.lake.store, input.runId, input.group);
    const failures = input.failed.flatMap(({ user, reason }) => {
      const owner = roster[user]?.fp_id;
      return owner === undefined ? [] : [{ stream: streamOf(reason), owner, reason }];
    });
    await recordFailures(deps.lake, { runId: input.runId, part: `g${input.group}` }, failures);
    const users = input.users.flatMap(({ user }) => roster[user] ?? []);
    const links = input.streams.includes("transactions") ? await plannedLinks(deps, input, users) : [];
    const plan = `g${input.group}/plan-${crypto.randomUUID()}`;
    await deps.lake.staging.putDocument(input.runId, plan, {
      links,
      started_at: startedAt,
    } satisfies GroupPlan);
    return { plan, links: links.length };
  });
}

async function plannedLinks(
  deps: Dependencies,
  input: PlanGroupInput,
  users: readonly RosterRow[],
): Promise<PlannedLink[]> {
  const feed = await deps.lake.table(transactionChanges.name).snapshot();
  const planned = new Map<string, PlannedLink>();
  for (const { fp_id, links } of users) {
    const only = links ?? input.only;
    for (const { id, obstacle } of await listedLinks(deps, input.runId, fp_id)) {
      if (planned.has(id) || (only !== null && !only.includes(id))) continue;
      planned.set(id, { link_id: id, fp_id, obstacle, base: baseOf(feed, id) });
    }
  }
  return [...planned.values()];
}

function baseOf(feed: Snapshot, linkId: string): LinkBaseState | null {
  const domain = linkDomain(feed, linkId);
  if (domain === undefined) return null;
  const { cursor, generation, next_sequence, head, last_page_sha256 } = domain;
  return { cursor, generation, next_sequence, head, last_page_sha256 };
}

/** Generation of the rows that a reading brings: a full read of a known link starts a new one. */
export function generationOf(planned: PlannedLink, progress: LinkProgress): number {
  if (planned.base === null) return 1;
  return progress.mode === "full" ? planned.base.generation + 1 : planned.base.generation;
}

/** The link's entry in the plan. @throws Error where a workflow and its plan have come apart. */
export function plannedLink(plan: GroupPlan, link: number): PlannedLink {
  const planned = plan.links[link];
  if (planned === undefined) throw new Error(`link ${link} is not in the group's plan`);
  return planned;
}
