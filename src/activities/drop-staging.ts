import { transactionStream } from "../streams/transactions.js";
import type { Dependencies } from "./dependencies.js";
import type { GroupPlan, GroupRef } from "./group-plan.js";
import { inLanes } from "./lanes.js";
import { plannedLink } from "./load.js";
import { beating } from "./slice.js";

const DELETED_AT_ONCE = 4;

export interface DropStagingInput extends GroupRef {
  readonly links: readonly number[];
}

/** Deletes the staged pages of links whose commit is in history (LAKE.md, Staging). */
export async function dropStaging(deps: Dependencies, input: DropStagingInput): Promise<void> {
  await beating(async () => {
    const plan = await deps.lake.staging.document<GroupPlan>(input.runId, input.plan);
    await inLanes(DELETED_AT_ONCE, input.links, (link) =>
      deps.lake.staging.dropOwner(input.runId, transactionStream.name, plannedLink(plan, link).link_id),
    );
  });
}

export interface DropGroupInput {
  readonly runId: string;
  /** Staged name of the group's plan. */
  readonly plan: string;
}

/** Deletes what is left of a group's staged pages once all that is to be committed of it is. */
export async function dropGroup(deps: Dependencies, input: DropGroupInput): Promise<void> {
  await beating(async () => {
    const { links } = await deps.lake.staging.document<GroupPlan>(input.runId, input.plan);
    await inLanes(DELETED_AT_ONCE, links, ({ link_id }) =>
      deps.lake.staging.dropOwner(input.runId, transactionStream.name, link_id),
    );
  });
}
