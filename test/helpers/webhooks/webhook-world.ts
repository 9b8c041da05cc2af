import { join } from "node:path";
import { expect } from "vitest";
import { createApiClient } from "../../../src/api/http/client.js";
import { taskQueue } from "../../../src/domain/run.js";
import { createLogger } from "../../../src/logger.js";
import { type ReceiverOptions, startReceiver } from "../../../src/receiver/receiver.js";
import { RECEIVER_PATHS } from "../../../src/receiver/routes.js";
import { type OnboardWorld, openOnboardWorld } from "../onboarding/onboard-harness.js";
import type { Row, WorldOptions } from "../sync/sync-harness.js";
import type { TestTemporal } from "../temporal/temporal-environment.js";
import { SECRET } from "./signed-webhook.js";

/** Waits between deliveries: short, so that a refused one comes again within a test. */
const RETRY_MS = [200, 300, 500, 1_000, 2_000, 4_000];

export type WebhookWorld = Awaited<ReturnType<typeof openWebhookWorld>>;

/** Opens a world around a running Temporal server, with a receiver as its service's endpoint. */
export async function openWebhookWorld(temporal: TestTemporal, options: WorldOptions = {}) {
  const sandbox = { webhooks: { retryMs: RETRY_MS }, ...options.sandbox };
  const world = await openOnboardWorld(temporal, { ...options, sandbox });
  const receiverLog = join(world.lake, "..", "receiver.log");
  const log = createLogger({
    destination: { file: receiverLog },
    level: "debug",
    secrets: [SECRET, world.sandbox.apiKey],
  });
  const api = createApiClient({
    baseUrl: world.sandbox.url,
    apiKey: world.sandbox.apiKey,
    userAgent: "nightledger/test",
    concurrency: 4,
    headersTimeoutMs: 2_000,
    bodyTimeoutMs: 2_000,
    maxBodyBytes: 1 << 20,
  });
  const { client, scope, sealed } = world;
  const place: ReceiverOptions = {
    host: "127.0.0.1",
    port: 0,
    secrets: [SECRET],
    mode: "test",
    scope,
    client,
    sealed,
    api,
    log: log.logger,
    taskQueue: taskQueue(scope),
  };
  const receiver = await startReceiver(place);
  world.sandbox.webhooks.register({ url: `${receiver.url}${RECEIVER_PATHS.webhooks}`, secrets: [SECRET] });
  return {
    ...world,
    receiver,
    receiverLog,
    post: (path: keyof typeof RECEIVER_PATHS, body: string, headers: Record<string, string> = {}) =>
      fetch(`${receiver.url}${RECEIVER_PATHS[path]}`, { method: "POST", body, headers }),
    tabled: (count: number) => tabledEvents(world, count),
    async close() {
      await receiver.stop();
      await api.close();
      log.close();
      await world.close();
    },
  };
}

/** Rows of `webhook_events` once there are so many, in the order in which they came. */
export async function tabledEvents(world: OnboardWorld, count: number): Promise<readonly Row[]> {
  // Before the first commit there is no table to ask.
  const log = () => world.store.list("webhook_events/_delta_log/");
  await expect.poll(log, { interval: 100 }).not.toEqual([]);
  await world.untilRows("select 1 from webhook_events", count);
  return world.rows("select * from webhook_events order by received_at, message_id");
}
