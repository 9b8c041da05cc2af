import { expect, test } from "vitest";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { BATCH_SIGNALS } from "../../../src/domain/onboarding/messages.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { onboardings } from "../../../src/lake/tables/onboardings.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const LONG = { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 600_000 }] } as const;

test("a batch whose outcomes can't be written fails before it posts", async () => {
  const world = await worlds.open({ sandbox: LONG });
  const log = "onboardings/_delta_log/00000000000000000000.json";
  const actions = creationOf(onboardings, 0).map((action) =>
    "protocol" in action ? { protocol: { ...action.protocol, minWriterVersion: 9 } } : action,
  );
  await world.store.put(log, actions.map((action) => JSON.stringify(action)).join("\n"));
  const batch = await world.begin(world.users(2));
  expect(await batch.handle.result()).toMatchObject({
    status: "failed",
    reason: "step_failed",
    message: expect.stringMatching(/^InputError: .*onboardings.*writer version 9/),
  });
  expect(world.sandbox.onboardings.list()).toHaveLength(0);
});

test("a cancel that comes while customers are being started stops them too", async () => {
  const world = await worlds.open({ sandbox: LONG });
  const batch = await world.begin(world.users(40), { window: 40 });
  // Asked without a pause: the first of them must not be there yet.
  while ((await world.progress(batch)).customers.running === 0);
  await batch.handle.signal(BATCH_SIGNALS.cancel, null);
  const { status, customers } = (await batch.handle.result()) as OnboardSummary;
  expect({ status, ended: customers.cancelled + customers.pending }).toEqual({
    status: "cancelled",
    ended: 40,
  });
  expect(world.sandbox.onboardings.list()).toHaveLength(customers.pending);
});
