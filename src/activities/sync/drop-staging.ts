import { mapConcurrent } from "../../domain/map-concurrent.js";
import { transactionStream } from "../../streams/transactions.js";
import type { Dependencies } from "../dependencies.js";
import { withHeartbeat } from "../heartbeat.js";
import { type GroupPlan, type GroupRef, type PlannedLink, plannedLink } from "./group-plan.js";

const DELETED_AT_ONCE = 4;

interface DropStagingInput extends GroupRef {
  readonly links: readonly number[];
}

/** Deletes the staged pages of links whose commit is in history (docs/architecture.md, "Staging"). */
export async function dropStaging(deps: Dependencies, input: DropStagingInput): Promise<void> {
  await dropPages(deps, input, (plan) => input.links.map((link) => plannedLink(plan, link)));
}

interface DropGroupInput {
  readonly runId: string;
  /** Staged name of the group's plan. */
  readonly plan: string;
}

/** Deletes what is left of a group's staged pages once all that is to be committed of it is. */
export async function dropGroup(deps: Dependencies, input: DropGroupInput): Promise<void> {
  await dropPages(deps, input, ({ links }) => links);
}

async function dropPages(
  deps: Dependencies,
  { runId, plan }: DropGroupInput,
  linksOf: (plan: GroupPlan) => readonly PlannedLink[],
): Promise<void> {
  const { staging } = deps.lake;
  await withHeartbeat(async () => {
    const links = linksOf(await staging.document<GroupPlan>(runId, plan));
    await mapConcurrent(DELETED_AT_ONCE, links, ({ link_id }) =>
      staging.dropOwner(runId, transactionStream.name, link_id),
    );
  });
}
