import type { Client } from "@temporalio/client";
import { type AskedRun, type StartedRun, startOrJoin } from "../start-or-join.js";

interface AskedUpkeep extends AskedRun {
  readonly retainDays: number;
}

/** Starts the upkeep of a lake on a worker, or joins the one that is running. */
export function startMaintain(
  client: Client,
  { scope, retainDays, ...asked }: AskedUpkeep,
): Promise<StartedRun> {
  return startOrJoin(client, {
    ...asked,
    workflow: "maintain",
    workflowId: `maintain/${scope}`,
    kind: "maintain",
    prepare: async () => ({ input: { retainDays } }),
  });
}
