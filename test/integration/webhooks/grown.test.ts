import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsWorkflowId } from "../../../src/domain/webhooks/messages.js";
import { startSmallHistories } from "../../helpers/temporal/small-histories.js";
import type { TestTemporal } from "../../helpers/temporal/temporal-environment.js";
import { signedHeaders } from "../../helpers/webhooks/signed-webhook.js";
import { openWebhookWorld } from "../../helpers/webhooks/webhook-world.js";

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startSmallHistories();
});
afterAll(() => temporal?.stop());

test("webhooks that never stop: their workflow continues as new, and no receipt is lost on the way", async () => {
  const world = await openWebhookWorld(temporal);
  try {
    const body = JSON.stringify({
      event_kind: "service.vault.updated",
      playbook_key: "pb_kyc",
      fp_id: "fp_1",
    });
    const handle = world.client.workflow.getHandle(eventsWorkflowId(world.scope));
    const send = (n: number) => world.post("webhooks", body, signedHeaders(body, { id: `msg_${n}` }));
    await send(0);
    const runIdNow = () => handle.describe().then(({ runId }) => runId);
    await expect.poll(() => runIdNow().catch(() => undefined)).toBeDefined();
    const runId = await runIdNow();
    let sent = 1;
    while ((await runIdNow()) === runId) {
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
