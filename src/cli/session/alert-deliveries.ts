import type { Client } from "@temporalio/client";
import { aborted } from "../terminal/interruption.js";

/** A command is held up no longer than this by a target of alerts that does not answer. */
const LONGEST_MS = 15_000;

/** Ids of the workflows of a task queue that are delivering alerts. */
export async function goingDeliveries(client: Client, taskQueue: string): Promise<string[]> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND WorkflowType = 'deliverAlert'`;
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

/** Waits for deliveries to end; whether they did before it took too long or the user stopped it. */
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
