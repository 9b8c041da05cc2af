import type { Client } from "@temporalio/client";
import { aborted } from "../terminal/interruption.js";

/** A command is held up no longer than this by a target of alerts that does not answer. */
const LONGEST_MS = 15_000;

/** Waits for alerts that are being delivered; whether all were, before it took too long or the user stopped it. */
export async function deliveriesEnded(
  client: Client,
  taskQueue: string,
  signal: AbortSignal,
): Promise<boolean> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND WorkflowType = 'deliverAlert'`;
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), LONGEST_MS);
  void aborted(signal).then(() => end.abort());
  try {
    const going: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) going.push(workflowId);
    const ends = going.map((id) => client.workflow.getHandle(id).result());
    await client.withAbortSignal(end.signal, () => Promise.all(ends));
    return true;
  } catch (error) {
    if (end.signal.aborted) return false;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
