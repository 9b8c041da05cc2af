import type { Client } from "@temporalio/client";
import { aborted } from "../terminal/interruption.js";

/** The longest time that a command waits for an alert target that does not answer. */
const LONGEST_MS = 15_000;

/** Lists the ids of workflows of a task queue that are delivering alerts. */
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
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), LONGEST_MS);
  void aborted(signal).then(() => end.abort());
  try {
    await client.withAbortSignal(end.signal, () =>
      Promise.allSettled(ids.map((id) => client.workflow.getHandle(id).result())),
    );
    return !end.signal.aborted;
  } finally {
    clearTimeout(timer);
  }
}
