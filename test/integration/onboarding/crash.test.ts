import { expect, test } from "vitest";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const PLAYBOOK = { key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 50 } as const;

test.each([
  ["at once", [], 50],
  ["only once it has ended", ["ended-onboardings"], 3_000],
] as const)(
  "an answer torn in its middle: the onboarding, which is listed %s, is found, and none is made twice",
  async (_, behaves, delayMs) => {
    const sandbox = { playbooks: [{ ...PLAYBOOK, delayMs }], behaves: new Set(behaves) };
    const world = await worlds.open({ sandbox });
    const lost = { kind: "truncated", mode: "length", operation: "create_onboarding", times: 1 } as const;
    world.sandbox.addFault(lost);
    const batch = await world.onboard(world.users(1));
    const [onboarding, ...more] = world.sandbox.onboardings.list();
    expect(more).toEqual([]);
    expect(await world.outcomes(batch)).toMatchObject([{ onboarding_id: onboarding?.id, status: "pass" }]);
  },
);

test("workers that are stopped and started in mid-batch: every row one onboarding and one outcome", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [PLAYBOOK] } });
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
