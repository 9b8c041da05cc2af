import { createHash } from "node:crypto";
import type { Client } from "@temporalio/client";
import type { AlertRules } from "../../domain/alert-settings.js";
import { type AskedRun, type StartedRun, startOrJoin } from "../start-or-join.js";

interface AskedCheck extends Pick<AskedRun, "scope" | "taskQueue" | "run"> {
  readonly rules: AlertRules;
}

/** Starts a check of alert rules on a worker, or joins a running one of the same rules. */
export function startCheck(
  client: Client,
  { scope, taskQueue, rules, run }: AskedCheck,
): Promise<StartedRun> {
  const hash = createHash("sha256").update(JSON.stringify(rules)).digest("hex").slice(0, 16);
  return startOrJoin(client, {
    run,
    workflow: "checkAlerts",
    workflowId: `alerts/${scope}/check/${hash}`,
    taskQueue,
    kind: "alerts",
    prepare: async () => ({ input: { rules } }),
  });
}
