import { setWorkflowOptions } from "@temporalio/workflow";
import { VERSIONED } from "../domain/run.js";
import { deliverHook, watchLate } from "./hooks/hooks.js";
import { follow } from "./onboarding/follow.js";
import { onboardBatch } from "./onboarding/onboard-batch.js";
import { fireSchedule } from "./schedules/fire-schedule.js";
import { followUpSync } from "./webhooks/follow-up-sync.js";
import { webhookEvents } from "./webhooks/webhook-events.js";

export { bulkJob } from "./bulk/bulk-job.js";
export { maintain } from "./maintain.js";
export { sync } from "./sync/sync.js";
export { deliverHook, fireSchedule, follow, followUpSync, onboardBatch, watchLate, webhookEvents };

// These may last for days or weeks, so they move to the current version at their next step. The others stay with the
// version that began them (docs/run/upgrade.md, "Versions"). Of a worker that has no version, Temporal takes
// no step that says so.
if (VERSIONED in globalThis) {
  for (const longLived of [
    deliverHook,
    fireSchedule,
    follow,
    followUpSync,
    onboardBatch,
    watchLate,
    webhookEvents,
  ])
    setWorkflowOptions({ versioningBehavior: "AUTO_UPGRADE" }, longLived as () => Promise<unknown>);
}
