import type { Client } from "@temporalio/client";
import { describeRunning, failureReason, pendingFailuresOf } from "../../temporal/running-workflows.js";

/** The longest time that a command waits for an alert target that does not answer. */
const LONGEST_MS = 15_000;

export async function goingDeliveries(client: Client, taskQueue: string): Promise<string[]> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND WorkflowType = 'deliverAlert'`;
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

/** Waits for deliveries to end; false where that takes too long or the user stops it. */
export async function deliveriesEnded(
  client: Client,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  // `any` holds its sources weakly: a limit that nobody else holds may be collected, and then never fires.
  const limit = AbortSignal.timeout(LONGEST_MS);
  const end = AbortSignal.any([signal, limit]);
  await client.withAbortSignal(end, () =>
    Promise.allSettled(ids.map((id) => client.workflow.getHandle(id).result())),
  );
  return !signal.aborted && !limit.aborted;
}

/** Says in brackets why deliveries have not ended; nothing where Temporal does not know. */
export async function whyLate(client: Client, ids: readonly string[]): Promise<string> {
  const described = await Promise.all(ids.map((id) => describeRunning(client, id)));
  const going = described.filter((one) => one !== undefined);
  const failures = (await Promise.all(going.map((one) => pendingFailuresOf(client, one)))).flat();
  const reasons = [...new Set(failures)].map(failureReason);
  return reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
}
