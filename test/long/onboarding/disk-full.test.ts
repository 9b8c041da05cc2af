import { expect, test } from "vitest";
import { type FaultStore, type StoreFault, withFaults } from "../../helpers/kill/fault-store.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const FULL = { when: "before", effect: "full" } as const;
const STEPS: readonly StoreFault[] = [
  { ...FULL, on: "putIfAbsent", key: "^_staging/onboarding-calls/.*/answer$" },
  { ...FULL, on: "put", key: "^_staging/onb_[0-9a-f]+/outcomes/" },
  { ...FULL, on: "putIfAbsent", key: "^onboardings/_delta_log/" },
];

test("a disk that is full after the onboarding was posted: waited out at every step, one onboarding and one outcome", async () => {
  let store: FaultStore | undefined;
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] },
    store: (inner) => {
      store = withFaults(inner, STEPS);
      return store;
    },
  });
  const batch = await world.onboard(world.users(1), { mode: "sync" });
  expect(store?.fired).toEqual(STEPS);
  expect(batch.summary.customers).toMatchObject({ total: 1, pass: 1 });
  expect(world.sandbox.calls().by_operation.create_onboarding).toBe(1);
  expect(await world.outcomes(batch)).toMatchObject([{ status: "pass", attempt: 1, version: 1 }]);
});
