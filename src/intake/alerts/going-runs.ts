import type { Client } from "@temporalio/client";
import type { GoingRun } from "../../domain/alerts/facts.js";
import { startOfRun } from "../../domain/run.js";

/** Types of the workflows that are a run. */
const RUN_WORKFLOWS = "'sync', 'bulkJob', 'onboardBatch'";

/** The runs of a task queue that Temporal has and that have not ended. */
export async function goingRuns(client: Client, taskQueue: string): Promise<GoingRun[]> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND WorkflowType IN (${RUN_WORKFLOWS})`;
  const found: GoingRun[] = [];
  for await (const { memo, startTime } of client.workflow.list({ query })) {
    const { runId, schedule } = memo ?? {};
    if (typeof runId !== "string") continue;
    // A run that continued as new is older than its last execution.
    const startedAt = Date.parse(startOfRun(runId)) || startTime.getTime();
    const kind = runId.slice(0, runId.indexOf("-"));
    found.push({ runId, kind, schedule: typeof schedule === "string" ? schedule : null, startedAt });
  }
  return found;
}
