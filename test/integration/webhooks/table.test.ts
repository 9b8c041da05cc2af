import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { eventsWorkflowId } from "../../../src/domain/webhooks/messages.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { stageEvent } from "../../../src/lake/webhooks/staged-events.js";
import { signedHeaders } from "../../helpers/webhooks/signed-webhook.js";
import type { WebhookWorld } from "../../helpers/webhooks/webhook-world.js";
import { webhookWorlds } from "../../helpers/webhooks/webhook-worlds.js";

const worlds = webhookWorlds();

const staged = ({ lake }: WebhookWorld) => readdir(join(lake, "_staging", "webhooks"));
/** As if what is staged had waited for its receiver in vain. */
async function age(world: WebhookWorld): Promise<void> {
  for (const name of await staged(world)) {
    await utimes(join(world.lake, "_staging", "webhooks", name), new Date(0), new Date(0));
  }
}
const send = (world: WebhookWorld, body: string, id: string) =>
  world.post("webhooks", body, signedHeaders(body, { id }));

test("every kind is tabled once, as it came, sealed; a new kind too, and counted", async () => {
  const world = await worlds.open();
  const kinds = [
    ...EVENT_KINDS.filter((kind) => !kind.includes("bank_link")),
    "acme.planet.discovered",
    undefined,
  ];
  const bodies = kinds.map((event_kind, n) =>
    JSON.stringify({
      event_kind,
      fp_id: "fp_1",
      external_id: null,
      onboarding_id: `ob_${n}`,
      playbook_key: "pb_kyc",
      playbook_version: 2,
      status: "pass",
      requires_manual_review: false,
      is_live: false,
      timestamp: "2026-11-20T08:00:00.123+01:00",
      nested: { secret: "PLANTED" },
    }),
  );
  for (const [n, body] of bodies.entries()) expect((await send(world, body, `msg_${n}`)).status).toBe(204);
  const rows = await world.tabled(kinds.length);
  expect(rows.map(({ event_kind }) => event_kind)).toEqual(kinds.map((kind) => kind ?? null));
  expect(rows.map(({ message_id }) => message_id)).toEqual(kinds.map((_, n) => `msg_${n}`));
  expect(rows[0]).toMatchObject({
    fp_id: "fp_1",
    external_id: null,
    onboarding_id: "ob_0",
    playbook_key: "pb_kyc",
    playbook_version: 2,
    status: "pass",
    requires_manual_review: false,
    is_live: false,
    event_timestamp_text: "2026-11-20T08:00:00.123+01:00",
    known: true,
    matched: false,
  });
  expect(String(rows[0]?.event_timestamp)).toMatch(/^2026-11-20[T ]07:00:00\.123/);
  expect(rows.at(-1)).toMatchObject({ known: false, matched: false });
  const opened = rows.map(({ payload }) =>
    openColumn(world.sealed.sealer, "webhook_events", "payload", String(payload)),
  );
  expect(opened).toEqual(bodies);
  expect(JSON.stringify(rows)).not.toContain("PLANTED");
  expect(world.receiver.counts()).toMatchObject({ taken: kinds.length, unknown: 2, matched: 0, repeated: 0 });
  await expect.poll(() => staged(world)).toEqual([]);
});

test("a message that comes again, at once or after it was tabled, makes no second row", async () => {
  const world = await worlds.open();
  const body = JSON.stringify({ event_kind: "service.vault.updated", fp_id: "fp_1" });
  const again = () => send(world, body, "msg_same");
  expect(
    await Promise.all([again(), again(), again()]).then((all) => all.map(({ status }) => status)),
  ).toEqual([204, 204, 204]);
  await world.tabled(1);
  await expect.poll(() => staged(world)).toEqual([]);
  expect((await again()).status).toBe(204);
  expect((await send(world, body, "msg_other")).status).toBe(204);
  expect(await world.tabled(2)).toMatchObject([{ message_id: "msg_same" }, { message_id: "msg_other" }]);
  expect(world.receiver.counts().taken).toBe(5);
});

test("what an earlier receiver staged and could not tell of is tabled, and its workflow ends when nothing is left", async () => {
  const world = await worlds.open();
  const body = '{"event_kind":"service.vault.updated"}';
  await stageEvent(world.sealed, { messageId: "msg_left", receivedAt: "2026-11-21T00:00:00.000Z", body });
  await age(world);
  expect((await send(world, body, "msg_new")).status).toBe(204);
  expect(await world.tabled(2)).toMatchObject([{ message_id: "msg_left" }, { message_id: "msg_new" }]);
  const handle = world.client.workflow.getHandle(eventsWorkflowId(world.scope));
  await handle.result();
  expect(await staged(world)).toEqual([]);
});

test("those that do not open stay, and however many they are keep no other out of the table", async () => {
  const world = await worlds.open();
  const unreadable = Array.from({ length: 600 }, (_, n) => String(n).padStart(32, "0"));
  for (const name of unreadable) await world.store.put(`_staging/webhooks/${name}`, "not sealed");
  await age(world);
  const body = '{"event_kind":"service.vault.updated"}';
  for (let n = 0; n < 20; n += 1) expect((await send(world, body, `msg_${n}`)).status).toBe(204);
  expect(await world.tabled(20)).toHaveLength(20);
  await expect.poll(async () => (await staged(world)).sort()).toEqual(unreadable);
  expect(await world.log()).toContain("a staged webhook can't be read");
});

test("a flood: hundreds at once, each answered, each tabled once, in few signals", async () => {
  const world = await worlds.open();
  const ids = Array.from({ length: 600 }, (_, n) => `msg_${n}`);
  const body = '{"event_kind":"service.vault.updated"}';
  const waiting = [...ids];
  const lane = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      expect((await send(world, body, id)).status).toBe(204);
    }
  };
  await Promise.all(Array.from({ length: 60 }, lane));
  const rows = await world.tabled(ids.length);
  expect(new Set(rows.map(({ message_id }) => message_id))).toEqual(new Set(ids));
  expect(rows).toHaveLength(ids.length);
  const { history } = await world.client.workflowService.getWorkflowExecutionHistory({
    namespace: "default",
    execution: { workflowId: eventsWorkflowId(world.scope) },
  });
  expect(history?.events?.length ?? 0).toBeLessThan(ids.length);
});
