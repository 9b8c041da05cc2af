import { expect, test } from "vitest";
import { onboardWorlds } from "../helpers/onboard-worlds.js";

const worlds = onboardWorlds();
const ALWAYS = { key: "pb_kyc", outcomes: { pass: 1 } } as const;

test("one customer: posted once, looked up, outcome in the table, counts that add up", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, delayMs: 100 }] } });
  const batch = await world.onboard(world.users(1));
  expect(batch.summary).toMatchObject({
    batch_id: batch.batchId,
    run_id: batch.runId,
    status: "completed",
    customers: { total: 1, pass: 1, queued: 0, running: 0 },
    manual_review: 0,
    calls: 2,
  });
  expect(world.sandbox.calls().by_operation).toEqual({ create_onboarding: 1, get_onboarding: 1 });
  const [onboarding] = world.sandbox.onboardings.list();
  expect(await world.outcomes(batch)).toMatchObject([
    {
      line: 1,
      attempt: 1,
      version: 1,
      kind: "user",
      fp_id: "fp_1",
      onboarding_id: onboarding?.id,
      playbook_key: "pb_kyc",
      status: "pass",
      requires_manual_review: false,
      settled_by: "poll",
      next_action: null,
      error_message: null,
    },
  ]);
});
