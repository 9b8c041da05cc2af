import { expect, test } from "vitest";
import { eventsWorkflowId, followUpWorkflowId } from "../../src/domain/webhooks/messages.js";
import { recordHistory } from "../helpers/temporal/replay-histories.js";
import { webhookWorlds } from "../helpers/webhooks/webhook-worlds.js";

const worlds = webhookWorlds();

test("webhooks in two batches, and a bank link that is followed up after the run that reads its user", async () => {
  const world = await worlds.open();
  world.sandbox.addLink({ id: "link_1", fp_id: "fp_1" });
  world.sandbox.addAccount("link_1", { id: "acc_1" });
  world.sandbox.addFault({ kind: "status", status: 503, operation: "sync_transactions", times: 3 });
  const running = await world.start();
  await world.sandbox.waitForRequests(1, { operation: "sync_transactions" });
  const link = { event_kind: "service.user.bank_link_updated", fp_id: "fp_1", bank_link_id: "link_1" };
  world.sandbox.webhooks.emit(link);
  await world.tabled(1);
  world.sandbox.webhooks.emit({ event_kind: "service.vault.updated", fp_id: "fp_1" });
  await world.tabled(2);
  await running.handle.result();
  const ids = { events: eventsWorkflowId(world.scope), followUp: followUpWorkflowId(world.scope) };
  for (const id of Object.values(ids)) await world.client.workflow.getHandle(id).result();
  expect(await world.rows("select 1 from runs")).toHaveLength(2);
  await recordHistory(world.client, "webhook-events", ids.events);
  await recordHistory(world.client, "follow-up-sync", ids.followUp);
});
