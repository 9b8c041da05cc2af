import { expect, test } from "vitest";
import { webhookWorlds } from "../../helpers/webhooks/webhook-worlds.js";

const worlds = webhookWorlds();
/** Webhooks have to do it: a poll comes only where one was lost. */
const LATE_POLLS = { pollFirst: 6_000, pollMost: 6_000 };

test("async with webhooks: every customer is ended by its event, one request and one poll each", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 500 }] },
  });
  const batch = await world.onboard(world.users(20), { timing: { pollFirst: 60_000, pollMost: 60_000 } });
  expect(batch.summary).toMatchObject({ customers: { total: 20, pass: 20 }, calls: 40 });
  const settled = await world.rows("select settled_by, count(*) as n from onboardings group by 1");
  expect(settled).toMatchObject([{ settled_by: "webhook", n: 20 }]);
  expect(world.sandbox.calls().by_operation).toEqual({ create_onboarding: 20, get_onboarding: 20 });
});

test("lost, repeated, late, overtaken and forged webhooks at 30 % each: one outcome per row", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 7, fail: 3 }, delayMs: [0, 800] }] },
  });
  const chance = { operation: "service.onboarding.completed", probability: 0.3 } as const;
  world.sandbox.addFault({ kind: "webhook_lost", ...chance, seed: 1 });
  world.sandbox.addFault({ kind: "webhook_repeated", copies: 2, ...chance, seed: 2 });
  world.sandbox.addFault({ kind: "webhook_late", ms: 1_500, ...chance, seed: 3 });
  world.sandbox.addFault({ kind: "webhook_reordered", ...chance, seed: 4 });
  world.sandbox.addFault({ kind: "webhook_bad_signature", ...chance, seed: 5 });
  const batch = await world.onboard(world.users(60), { timing: LATE_POLLS });
  const made = new Map(world.sandbox.onboardings.list().map(({ id, status }) => [id, status]));
  expect(made.size).toBe(60);
  const outcomes = await world.rows("select onboarding_id, status, version from onboardings");
  expect(outcomes).toHaveLength(60);
  for (const { onboarding_id, status, version } of outcomes) {
    expect({ status, version }).toEqual({ status: made.get(String(onboarding_id)), version: 1 });
  }
  const by = new Set(
    (await world.rows("select distinct settled_by from onboardings")).map(({ settled_by }) => settled_by),
  );
  expect(by).toEqual(new Set(["webhook", "poll"]));
  expect(batch.summary.customers.pass + batch.summary.customers.fail).toBe(60);
});

test("a business that is known by its first data alone is ended by its event, and one by its session", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyb", kind: "kyb", outcomes: { pass: 1 }, delayMs: 1_000 }] },
  });
  const late = { playbook: "pb_kyb", timing: { pollFirst: 600_000, pollMost: 600_000 } };
  const batch = await world.onboard([{ kind: "business", "vault.business.name": "Acme 3" }], late);
  expect(batch.summary.customers.pass).toBe(1);
  expect(await world.outcomes(batch)).toMatchObject([{ status: "pass", settled_by: "webhook" }]);
  world.sandbox.addFault({ kind: "webhook_lost", operation: "service.onboarding.completed" });
  const other = await world.begin([{ kind: "business", "vault.business.name": "Acme 4" }], late);
  await expect.poll(() => world.sandbox.onboardings.list().length).toBe(2);
  const { id } = world.sandbox.onboardings.list()[1]!;
  world.sandbox.onboardings.finish(id, "pass");
  const token = world.sandbox.sessions.end({ onboardings: [id] });
  const { status } = await world.post("validate", JSON.stringify({ validation_token: token }));
  expect(status).toBe(200);
  await other.handle.result();
  expect(await world.outcomes(other)).toMatchObject([{ status: "pass", settled_by: "validation" }]);
});

test("a validated session ends the customer's wait", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { incomplete: 1 } }] },
  });
  const batch = await world.onboard(world.users(1), {
    timing: { pollFirst: 60_000, pollPeopleMost: 60_000 },
  });
  expect(batch.summary.customers.needs_customer).toBe(1);
  world.sandbox.addFault({ kind: "webhook_lost", operation: "service.onboarding.completed" });
  const { id } = world.sandbox.onboardings.list()[0]!;
  world.sandbox.onboardings.finish(id, "pass");
  const token = world.sandbox.sessions.end({ onboardings: [id] });
  const { status } = await world.post("validate", JSON.stringify({ validation_token: token }));
  expect(status).toBe(200);
  await world.untilRows("select * from onboardings where version = 2", 1);
  expect(await world.outcomes(batch)).toMatchObject([{ status: "pass", settled_by: "validation" }]);
});
