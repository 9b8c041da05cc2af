export { bulkJob } from "./bulk/bulk-job.js";
export { callService } from "./calls/call-service.js";
export { onboardBatch } from "./onboarding/onboard-batch.js";
export { onboardCustomer } from "./onboarding/onboard-customer.js";
export { sync } from "./sync/sync.js";
export { syncGroup } from "./sync/sync-group.js";
export { followUpSync } from "./webhooks/follow-up-sync.js";
export { webhookEvents } from "./webhooks/webhook-events.js";
