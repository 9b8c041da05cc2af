import type { Client } from "@temporalio/client";

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
