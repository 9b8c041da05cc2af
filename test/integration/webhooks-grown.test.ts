import { TestWorkflowEnvironment } from "@temporalio/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsWorkflowId } from "../../src/domain/webhooks/messages.js";
import { connectClient, type TemporalClient } from "../../src/temporal/connection.js";
import { installRuntime } from "../../src/temporal/runtime.js";
import { TEST_KEYS, temporalCliPath } from "../helpers/temporal-environment.js";
import { openWebhookWorld } from "../helpers/webhook-world.js";
import { signedHeaders } from "../webhooks/signed-webhook.js";

let environment: TestWorkflowEnvironment;
let temporal: TemporalClient;
beforeAll(async () => {
  // The first one in a process decides where the SDK logs.
  installRuntime({ debug() {}, info() {}, warn() {}, error() {} });
  environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "existing-path", path: await temporalCliPath() },
      extraArgs: ["--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=20"],
    },
  });
  temporal = await connectClient({ address: environment.address, namespace: "default" }, TEST_KEYS);
});
afterAll(async () => {
  await temporal?.close();
  await environment?.teardown();
});

test("webhooks that never stop: their workflow continues as new, and no receipt is lost on the way", async () => {
  const server = { address: environment.address, namespace: "default", directory: "", pid: 0 };
  const world = await openWebhookWorld({ ...server, client: async () => temporal, stop: async () => {} });
  try {
    const body = JSON.stringify({
      event_kind: "service.vault.updated",
      playbook_key: "pb_kyc",
      fp_id: "fp_1",
    });
    const handle = world.client.workflow.getHandle(eventsWorkflowId(world.scope));
    const send = (n: number) => world.post("webhooks", body, signedHeaders(body, { id: `msg_${n}` }));
    await send(0);
    const { runId } = await handle.describe();
    let sent = 1;
    while ((await handle.describe()).runId === runId) {
      expect((await send(sent)).status).toBe(204);
      sent += 1;
    }
    expect((await send(sent)).status).toBe(204);
    const rows = await world.tabled(sent + 1);
    expect(new Set(rows.map(({ message_id }) => message_id)).size).toBe(rows.length);
    expect(rows).toHaveLength(sent + 1);
  } finally {
    await world.close();
  }
});
