import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WebhookWorld } from "../../helpers/webhooks/webhook-world.js";
import { webhookWorlds } from "../../helpers/webhooks/webhook-worlds.js";

const worlds = webhookWorlds({ file: true });
const ALWAYS = { key: "pb_kyc", outcomes: { pass: 1 }, versions: 3 } as const;
/** Long enough that no poll ends what a webhook should end. */
const NO_POLL = { pollFirst: 600_000, pollMost: 600_000, pollPeopleMost: 600_000 };

const PERSON = "PLANTED-PERSON";

const settled = (world: WebhookWorld) =>
  world.rows(
    "select fp_id, onboarding_id, version, status, settled_by from onboardings order by line, version",
  );

test("an event that names no playbook finds the customer who waits, by what the table knows", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, manualReviewShare: 1 }] } });
  await world.onboard(world.users(2), { timing: NO_POLL });
  const before = world.sandbox.calls().by_operation.get_onboarding ?? 0;
  for (const fp_id of ["fp_2", "fp_nobody"]) {
    world.sandbox.webhooks.emit({ event_kind: "service.entity.entity_status_set", fp_id });
  }
  await world.tabled(4);
  expect(
    await world.rows(
      "select fp_id, matched from webhook_events where event_kind like '%status_set' order by 1",
    ),
  ).toEqual([
    { fp_id: "fp_2", matched: true },
    { fp_id: "fp_nobody", matched: false },
  ]);
  await expect.poll(() => world.sandbox.calls().by_operation.get_onboarding).toBe(before + 1);
});

test("POST /validate ends the wait for a customer; token and payloads are in no log, history, table or file", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, outcomes: { incomplete: 1 } }] } });
  const batch = await world.onboard(world.users(1), { timing: NO_POLL });
  expect(batch.summary.customers).toMatchObject({ needs_customer: 1 });
  const { id = "" } = world.sandbox.onboardings.list()[0] ?? {};
  const [waiting] = world.sandbox.webhooks.messages({ event_kind: "service.onboarding.incomplete" });
  world.sandbox.webhooks.emit({ ...waiting?.payload, event_kind: "service.vault.updated", name: PERSON });
  await world.tabled(2);
  world.sandbox.webhooks.hold();
  world.sandbox.onboardings.finish(id, "pass");
  const validation_token = world.sandbox.sessions.end({ onboardings: [id] });
  const ended = await world.post("validate", JSON.stringify({ validation_token }));
  expect([ended.status, await ended.json()]).toEqual([200, { matched: 1 }]);
  await world.untilRows("select * from onboardings where version = 2", 1);
  expect((await settled(world)).at(-1)).toMatchObject({ status: "pass", settled_by: "validation" });
  const unknown = await world.post("validate", JSON.stringify({ validation_token: "vtok_never" }));
  expect(unknown.status).toBe(422);
  world.sandbox.addFault({ kind: "status", operation: "validate_session", status: 401 });
  const validate = async () => (await world.post("validate", JSON.stringify({ validation_token }))).status;
  expect(await validate()).toBe(422);
  world.sandbox.addFault({ kind: "status", operation: "get_user", status: 401 });
  expect(await validate()).toBe(503);
  expect(world.receiver.counts()).toMatchObject({ validated: 1, refused: { session: 2, unavailable: 1 } });

  const files = new Map<string, Buffer>();
  for (const directory of [join(world.lake, ".."), worlds.temporal.directory]) {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    for (const file of entries.filter((one) => one.isFile())) {
      const path = join(file.parentPath, file.name);
      files.set(path, await readFile(path).catch(() => Buffer.alloc(0)));
    }
  }
  expect([...files.values()].some((bytes) => bytes.includes(batch.handle.workflowId))).toBe(true);
  expect([...files.keys()].some((path) => path === world.receiverLog || path.endsWith("receiver.log"))).toBe(
    true,
  );
  const found = [...files].filter(([, bytes]) => bytes.includes(validation_token) || bytes.includes(PERSON));
  expect(found.map(([path]) => path)).toEqual([]);
});

test("webhooks lost, repeated, late, reordered, forged and stale: every customer has one onboarding and one outcome", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ ...ALWAYS, outcomes: { pass: 7, fail: 3 }, delayMs: [50, 1_500] }] },
  });
  const some = (seed: number) => ({ probability: 0.3, seed });
  world.sandbox.addFault({ kind: "webhook_lost", ...some(1) });
  world.sandbox.addFault({ kind: "webhook_repeated", copies: 2, ...some(2) });
  world.sandbox.addFault({ kind: "webhook_late", ms: 700, ...some(3) });
  world.sandbox.addFault({ kind: "webhook_reordered", ...some(4) });
  world.sandbox.addFault({ kind: "webhook_bad_signature", ...some(5) });
  world.sandbox.addFault({ kind: "webhook_stale", ...some(6) });
  const count = 40;
  const batch = await world.onboard(world.users(count), { timing: { pollFirst: 4_000, pollMost: 4_000 } });
  expect(batch.summary.customers).toMatchObject({ total: count });
  const made = world.sandbox.onboardings.list();
  expect(made).toHaveLength(count);
  const rows = await settled(world);
  expect(
    rows.map(({ onboarding_id, status, version }) => `${onboarding_id} ${status} ${version}`).sort(),
  ).toEqual(made.map(({ id, status }) => `${id} ${status} 1`).sort());
  const by = new Set(rows.map(({ settled_by }) => settled_by));
  expect(by).toEqual(new Set(["poll", "webhook"]));
  world.sandbox.clearFaults();
  world.sandbox.webhooks.release();
  const sent = () => world.sandbox.webhooks.messages().filter(({ state }) => state !== "lost");
  await expect.poll(() => sent().every(({ state }) => state === "delivered")).toBe(true);
  const { refused, taken } = world.receiver.counts();
  expect([refused.signature, refused.timestamp].every((many) => many > 0)).toBe(true);
  expect(taken).toBeGreaterThan(sent().length);
  const tabled = await world.tabled(sent().length);
  expect(tabled.map(({ message_id }) => message_id).sort()).toEqual(
    sent()
      .map(({ id }) => id)
      .sort(),
  );
});
