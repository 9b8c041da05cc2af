import { expect, test } from "vitest";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { BATCH_SIGNALS } from "../../../src/domain/onboarding/messages.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const LONG = { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 600_000 }] } as const;

test("a batch whose outcomes can't be written fails at once, and the same command continues it", async () => {
  let torn = true;
  const world = await worlds.open({
    sandbox: LONG,
    store: (store) => ({
      ...store,
      get: (key) =>
        torn && key.endsWith("/outcomes/1-1-1") ? Promise.resolve(Buffer.from("torn")) : store.get(key),
    }),
  });
  const rows = world.users(2);
  world.sandbox.playbooks.script({ entity: "fp_1", outcomes: [{ status: "pass", delayMs: 0 }] });
  const batch = await world.begin(rows);
  // The other customer is waited for, and would be for minutes.
  expect(await batch.handle.result()).toMatchObject({
    status: "failed",
    reason: "step_failed",
    message: expect.stringMatching(/^InputError: /),
  });
  torn = false;
  for (const { id } of world.sandbox.onboardings.list()) world.sandbox.onboardings.finish(id, "pass");
  const { summary } = await world.onboard(rows);
  expect(summary).toMatchObject({ status: "completed", customers: { total: 2, pass: 2 } });
  expect(await world.outcomes(batch)).toMatchObject([{ status: "pass" }, { status: "pass" }]);
  expect(world.sandbox.onboardings.list()).toHaveLength(2);
});

test("a cancel that comes while customers are being started stops them too", async () => {
  const world = await worlds.open({ sandbox: LONG });
  const batch = await world.begin(world.users(40), { window: 40 });
  // Asked without a pause: the first of them must not be there yet.
  while ((await world.progress(batch)).customers.running === 0);
  await batch.handle.signal(BATCH_SIGNALS.cancel);
  const { status, customers } = (await batch.handle.result()) as OnboardSummary;
  expect({ status, ended: customers.cancelled + customers.pending }).toEqual({
    status: "cancelled",
    ended: 40,
  });
  expect(world.sandbox.onboardings.list()).toHaveLength(customers.pending);
});
