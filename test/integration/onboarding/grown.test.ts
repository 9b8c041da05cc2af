import { afterAll, beforeAll, expect, test } from "vitest";
import { followWorkflowId } from "../../../src/domain/onboarding/identity.js";
import { type OnboardWorld, openOnboardWorld } from "../../helpers/onboarding/onboard-harness.js";
import { startSmallHistories } from "../../helpers/temporal/small-histories.js";
import type { TestTemporal } from "../../helpers/temporal/temporal-environment.js";

/** Polls are not to help. */
const NO_POLL = { pollFirst: 600_000, pollMost: 600_000, pollPeopleMost: 600_000 };
/** The customer must continue, which is known at once. */
const NOW = { mode: "sync", timing: NO_POLL } as const;
const EXECUTIONS = 4;

let temporal: TestTemporal;
let world: OnboardWorld;
beforeAll(async () => {
  temporal = await startSmallHistories();
  world = await openOnboardWorld(temporal, {
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { incomplete: 1 } }] },
  });
});
afterAll(async () => {
  await world?.close();
  await temporal?.stop();
});

const polls = () => world.sandbox.calls().by_operation.get_onboarding ?? 0;

test("told of a vault again and again, follow continues as new, polls seldom and forgets nothing", async () => {
  const batch = await world.onboard(world.users(1), NOW);
  const follow = world.client.workflow.getHandle(followWorkflowId(world.scope));
  const before = polls();
  const runs = new Set<string>();
  const hint = { kind: "service.vault.updated", onboardingId: null } as const;
  for (let sent = 0; runs.size < EXECUTIONS; sent += 1) {
    expect(await world.tell("fp_1", { ...hint, messageId: `msg_${sent}` })).toBe(true);
    runs.add((await follow.describe()).runId);
  }
  expect(polls() - before).toBeLessThanOrEqual(1);
  const [onboarding] = world.sandbox.onboardings.of("fp_1");
  world.sandbox.onboardings.finish(onboarding?.id ?? "", "pass");
  await world.tell("fp_1", { messageId: "done", status: "pass", review: false });
  await follow.result();
  const versions = `select batch_id, version, status, settled_by from onboardings
    where fp_id = 'fp_1' order by version`;
  await world.untilRows(versions, 2);
  expect(await world.rows(versions)).toEqual([
    { batch_id: batch.batchId, version: 1, status: "needs_customer", settled_by: null },
    { batch_id: batch.batchId, version: 2, status: "pass", settled_by: "webhook" },
  ]);
  expect(world.sandbox.onboardings.of("fp_1")).toHaveLength(1);
});
