import type { WorldOptions } from "../sync/sync-harness.js";
import { type TestWorlds, testWorlds } from "../temporal/test-worlds.js";
import { openWebhookWorld, type WebhookWorld } from "./webhook-world.js";

/** Registers the hooks of a test file that receives webhooks. */
export function webhookWorlds(own?: { file: boolean }): TestWorlds<WorldOptions, WebhookWorld> {
  return testWorlds(openWebhookWorld, own);
}
