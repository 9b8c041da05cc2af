import type { Client } from "@temporalio/client";

/** Time for one Temporal request; after it the sender is asked to try again. */
const ANSWER_WITHIN_MS = 5_000;

export function inTime<R>(client: Client, work: () => Promise<R>, ms: number = ANSWER_WITHIN_MS): Promise<R> {
  return client.withDeadline(Date.now() + ms, work);
}
