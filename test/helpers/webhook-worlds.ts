import { afterAll, afterEach, beforeAll } from "vitest";
import type { WorldOptions } from "./sync-harness.js";
import { startTestTemporal, type TestTemporal } from "./temporal-environment.js";
import { openWebhookWorld, type WebhookWorld } from "./webhook-world.js";

/** Registers the hooks of a test file that receives webhooks; gives what opens worlds that end with their test. */
export function webhookWorlds(server: { file?: boolean } = {}): {
  open(options?: WorldOptions): Promise<WebhookWorld>;
  temporal(): TestTemporal;
} {
  let temporal: TestTemporal | undefined;
  const open: WebhookWorld[] = [];
  const closeAll = async () => {
    for (const world of open.splice(0)) await world.close();
  };
  const running = () => {
    if (temporal === undefined) throw new Error("the Temporal server of this file is not up yet");
    return temporal;
  };
  beforeAll(async () => {
    temporal = await startTestTemporal(server);
  });
  afterEach(closeAll);
  afterAll(async () => {
    await closeAll();
    await temporal?.stop();
  });
  return {
    temporal: running,
    async open(options) {
      const world = await openWebhookWorld(running(), options);
      open.push(world);
      return world;
    },
  };
}
