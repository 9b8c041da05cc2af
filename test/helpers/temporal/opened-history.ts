import type { Client } from "@temporalio/client";
import type { Payload } from "@temporalio/common";
import { decode } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { expect } from "vitest";

/** What the workflows of a run have in their histories, decrypted: ids, results and every payload. */
export async function openedHistories(client: Client, type: string, runId: string): Promise<string[]> {
  let opened: readonly string[] = [];
  // Temporal lists a workflow a while after it began.
  await expect
    .poll(async () => {
      opened = await openedNow(client, type, runId);
      return opened;
    })
    .not.toEqual([]);
  return [...opened];
}

async function openedNow(client: Client, type: string, runId: string): Promise<string[]> {
  const opened: string[] = [];
  for await (const { workflowId, memo } of client.workflow.list({ query: `WorkflowType = "${type}"` })) {
    if (memo?.runId !== runId) continue;
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    opened.push(workflowId);
    for (const payload of (events ?? []).flatMap(payloadsOf)) {
      const [value] = await decode(client.options.loadedDataConverter.payloadCodecs, [payload]);
      opened.push(Buffer.from(value?.data ?? []).toString());
    }
  }
  return opened;
}

export function payloadsOf(value: unknown): Payload[] {
  if (typeof value !== "object" || value === null) return [];
  if ("payloads" in value && Array.isArray(value.payloads)) return value.payloads;
  return Object.values(value).flatMap(payloadsOf);
}
