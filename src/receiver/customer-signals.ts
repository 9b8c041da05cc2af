import type { Client } from "@temporalio/client";
import { signalRunning } from "../temporal/running-workflows.js";

/** Time for one Temporal request; after it the sender is asked to try again. */
const ANSWER_WITHIN_MS = 5_000;

export function inTime<R>(client: Client, work: () => Promise<R>, ms: number = ANSWER_WITHIN_MS): Promise<R> {
  return client.withDeadline(Date.now() + ms, work);
}

/** Sends a signal to each workflow; returns whether any of them runs. */
export async function signalAny(
  client: Client,
  workflowIds: readonly string[],
  signal: string,
  message: unknown,
): Promise<boolean> {
  const sent = await Promise.all(
    workflowIds.map((id) => inTime(client, () => signalRunning(client, id, signal, message))),
  );
  return sent.includes(true);
}
