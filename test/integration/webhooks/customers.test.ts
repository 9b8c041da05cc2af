import { expect, test } from "vitest";
import { webhookWorlds } from "../../helpers/webhooks/webhook-worlds.js";

const worlds = webhookWorlds();

test("async with webhooks: every customer is ended by its event, one request and one poll each", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 500 }] },
  });
  const batch = await world.onboard(world.users(20), { timing: { pollFirst: 60_000, pollMost: 60_000 } });
  const { list_user_onboardings: looks = 0, ...calls } = world.sandbox.calls().by_operation;
  expect(looks).toBeLessThanOrEqual(3);
  expect(batch.summary).toMatchObject({ customers: { total: 20, pass: 20 }, calls: 40 + looks });
  const settled = await world.rows("select settled_by, count(*) as n from onboardings group by 1");
  expect(settled).toMatchObject([{ settled_by: "webhook", n: 20 }]);
  expect(calls).toEqual({ create_onboarding: 20, get_onboarding: 20 });
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
