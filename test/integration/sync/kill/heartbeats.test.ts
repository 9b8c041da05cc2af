import { expect, test } from "vitest";
import { syncWorlds } from "../../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("a step heartbeats every two seconds, so that a busy worker does not count as dead", async () => {
  const world = await worlds.open({ sandbox: { population: { kind: "synthetic", users: 1, rows: 10 } } });
  const arrived = world.sandbox.waitForRequests(1, { operation: "sync_transactions" });
  const release = world.sandbox.hold({ operation: "sync_transactions" });
  const { handle } = await world.start();
  await arrived;
  const heard = async () => {
    const { raw } = await handle.describe();
    const seconds = raw.pendingActivities?.find(({ activityType }) => activityType?.name === "readSlice")
      ?.lastHeartbeatTime?.seconds;
    return seconds === undefined || seconds === null ? 0 : Number(seconds);
  };
  await expect.poll(heard, { timeout: 15_000 }).toBeGreaterThan(0);
  const first = await heard();
  await expect.poll(heard, { timeout: 15_000 }).toBeGreaterThan(first);
  const second = await heard();
  release();
  await handle.result();
  // The SDK's own choice would be eight.
  expect(second - first).toBeLessThanOrEqual(5);
});
