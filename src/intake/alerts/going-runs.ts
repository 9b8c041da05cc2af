import type { Client } from "@temporalio/client";
import type { GoingRun } from "../../domain/alerts/facts.js";
import { startOfRun } from "../../domain/run.js";
import { runningRuns } from "../../temporal/running-workflows.js";

/** The runs of a task queue that Temporal has and that have not ended. */
export async function goingRuns(client: Client, taskQueue: string): Promise<GoingRun[]> {
  return (await runningRuns(client, taskQueue)).map(({ runId, memo: { schedule }, startTime }) => {
    // A run that continued as new is older than its last execution.
    const startedAt = Date.parse(startOfRun(runId)) || startTime.getTime();
    const kind = runId.slice(0, runId.indexOf("-"));
    return { runId, kind, schedule: typeof schedule === "string" ? schedule : null, startedAt };
  });
}
