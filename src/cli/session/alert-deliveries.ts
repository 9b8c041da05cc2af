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
  const end = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  await client.withAbortSignal(end, () =>
    Promise.allSettled(ids.map((id) => client.workflow.getHandle(id).result())),
  );
  return !end.aborted;
}
