import { expect, test } from "vitest";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";
import { IMPATIENT } from "../../helpers/sync/sync-harness.js";

const worlds = onboardWorlds();
const PLAYBOOK = { key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 50 } as const;
const opened = (api = {}) => worlds.open({ sandbox: { playbooks: [PLAYBOOK] }, api });

test.for([
  ["reset after the effect", { kind: "reset", afterEffect: true }],
  ["no answer after the effect", { kind: "hang", afterEffect: true }],
  ["500 after the effect", { kind: "status", status: 500, afterEffect: true }],
  ["an answer torn in its middle", { kind: "truncated", mode: "length" }],
] as const)(
  "%s, with fp_id: the onboarding that was made is found, and none is made twice",
  async ([, fault]) => {
    const world = await opened(fault.kind === "hang" ? IMPATIENT : {});
    world.sandbox.addFault({ ...fault, operation: "create_onboarding", times: 1 });
    const batch = await world.onboard(world.users(1));
    expect(batch.summary.customers.pass).toBe(1);
    const [onboarding, ...more] = world.sandbox.onboardings.list();
    expect(more).toEqual([]);
    expect(await world.outcomes(batch)).toMatchObject([{ onboarding_id: onboarding?.id, status: "pass" }]);
    expect(world.sandbox.calls().by_operation).toMatchObject({
      create_onboarding: 1,
      list_user_onboardings: 1,
    });
  },
);

test("with an external id the same request is sent again: the service's own idempotency id", async () => {
  const world = await opened();
  world.sandbox.addUser({ fp_id: "fp_1", external_id: "c-1" });
  world.sandbox.addFault({ kind: "reset", afterEffect: true, operation: "create_onboarding", times: 2 });
  const batch = await world.onboard([{ external_id: "c-1" }]);
  expect(batch.summary.customers.pass).toBe(1);
  expect(world.sandbox.onboardings.list()).toHaveLength(1);
  expect(world.sandbox.calls().by_operation.create_onboarding).toBe(3);
});

test("a request that was lost before its effect is sent again, once it is sure", async () => {
  const world = await opened();
  world.sandbox.addFault({ kind: "reset", operation: "create_onboarding", times: 1 });
  const batch = await world.onboard(world.users(1));
  expect(batch.summary.customers.pass).toBe(1);
  expect(world.sandbox.onboardings.list()).toHaveLength(1);
});

test("workers that are stopped and started in mid-batch: every row one onboarding and one outcome", async () => {
  const world = await opened();
  const batch = await world.begin(world.users(60), { window: 10, startsPerExecution: 25 });
  for (const done of [5, 20, 40]) {
    await world.until(batch, ({ customers }) => customers.pass >= done);
    await world.stopWorker();
    await world.startWorker();
  }
  const summary = (await batch.handle.result()) as OnboardSummary;
  expect(summary.customers).toMatchObject({ total: 60, pass: 60 });
  const perUser = Array.from({ length: 60 }, (_, at) => world.sandbox.onboardings.of(`fp_${at + 1}`).length);
  expect(perUser).toEqual(Array(60).fill(1));
  const lines = await world.rows("select line, count(*) as n from onboardings group by line order by line");
  expect(lines.map(({ n }) => Number(n))).toEqual(Array(60).fill(1));
});

test("a service that is slow and down now and then costs time, no row", async () => {
  const world = await opened();
  world.sandbox.addFault({
    kind: "status",
    status: 503,
    operation: "create_onboarding",
    probability: 0.2,
    seed: 3,
  });
  world.sandbox.addFault({
    kind: "status",
    status: 429,
    retryAfter: 1,
    operation: "get_onboarding",
    times: 3,
  });
  const batch = await world.onboard(world.users(20));
  expect(batch.summary.customers).toMatchObject({ total: 20, pass: 20 });
  expect(world.sandbox.onboardings.list()).toHaveLength(20);
});
