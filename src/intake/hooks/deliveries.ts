import { hash } from "node:crypto";
import type { Client } from "@temporalio/client";
import { HOOK_WORKFLOW, type Hook } from "../../domain/hook-settings.js";
import type { CalledHook } from "../../domain/hooks/judge.js";
import { type HookDelivery, hookWorkflowId } from "../../domain/hooks/message.js";
import { taskQueue } from "../../domain/run.js";
import { startOnce } from "../../temporal/running-workflows.js";

/** Names a hook by its target, which is a secret: histories have this name, and workers find the hook in their settings. */
export function hookKey({ webhook, command }: Pick<Hook, "webhook" | "command">): string {
  return hash("sha256", JSON.stringify(webhook === undefined ? { command } : { webhook })).slice(0, 16);
}

/** Starts one workflow for each hook that is called; a repetition starts none again. */
export async function startDeliveries(
  client: Client,
  scope: string,
  called: readonly CalledHook[],
  about: Omit<HookDelivery, "hook" | "event">,
): Promise<void> {
  for (const { hook, event } of called) {
    const delivery: HookDelivery = { hook: hookKey(hook), event, ...about };
    const workflowId = hookWorkflowId(scope, delivery);
    await startOnce(client, HOOK_WORKFLOW, { workflowId, taskQueue: taskQueue(scope), args: [delivery] });
  }
}
