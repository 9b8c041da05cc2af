import { expect, test } from "vitest";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();

test("a higher limit is refused while the batch runs, and continues it once it has ended; a lower one joins", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] } });
  const rows = world.users(6);
  const release = world.sandbox.hold({ operation: "create_onboarding" });
  const first = await world.begin(rows, { limit: 3 });
  await expect(world.begin(rows, { limit: 5 })).rejects.toThrow(
    /^batch onb_.* is running, for the first 3 rows of its file\. Nothing was started\. Run the same command again once it has ended\.$/,
  );
  expect(await world.begin(rows, { limit: 2 })).toMatchObject({ runId: first.runId, joined: true });
  release();
  expect(await first.handle.result()).toMatchObject({ customers: { total: 3, pass: 3 } });
  const { summary, ...second } = await world.onboard(rows, { limit: 5 });
  expect(second).toMatchObject({ batchId: first.batchId, joined: false });
  expect(summary).toMatchObject({ status: "completed", customers: { total: 5, pass: 5 } });
  expect(world.sandbox.calls().by_operation.create_onboarding).toBe(5);
  const csv = await world.store.get(`_batches/${first.batchId}/outcomes.csv`);
  expect(csv?.toString().trim().split("\n")).toHaveLength(6);
});
