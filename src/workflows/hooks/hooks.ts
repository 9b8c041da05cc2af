import { continueAsNew, proxyActivities, sleep } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { HookDelivery } from "../../domain/hooks/message.js";
import { HEARTBEATING, HOOK_DELIVERY, LATE_LOOKS } from "../policies.js";

const { sendHook } = proxyActivities<Activities>(HOOK_DELIVERY);
const { findLate } = proxyActivities<Activities>(HEARTBEATING);

/** Fails where the target takes nothing for about a day. */
export async function deliverHook(delivery: HookDelivery): Promise<void> {
  await sendHook(delivery);
}

/** Looks for late schedules as long as a hook wants to know of them; one for a task queue. */
export async function watchLate({ lastRuns }: Parameters<Activities["findLate"]>[0]): Promise<void> {
  let next = lastRuns;
  for (let looks = 0; looks < LATE_LOOKS; looks += 1) {
    const look = await findLate({ lastRuns: next });
    if (look === null) return;
    next = look.lastRuns;
    await sleep(look.waitMs);
  }
  await continueAsNew<typeof watchLate>({ lastRuns: next });
}
