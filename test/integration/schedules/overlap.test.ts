import { beforeEach, expect, test } from "vitest";
import { commandWorld } from "../../helpers/command/command-world.js";

const SYNC = ["sync", "--roster", "users.csv"];

const world = commandWorld();
beforeEach(async () => {
  world.sandbox.addLink({ fp_id: "u1", id: "l1", accounts: [{ id: "a1" }] });
  await world.write("users.csv", "fp_id\nu1\n");
});

const schedule = async (...args: string[]) => {
  const { code, stdout, stderr } = await world.run("schedule", ...args);
  expect(code, stderr).toBe(0);
  return stdout;
};
const described = async (name: string) => JSON.parse(await schedule("describe", name, "--json"));

test("what becomes due while a run is running is skipped, a trigger too", async () => {
  const release = world.sandbox.hold({ operation: "sync_transactions" });
  await schedule("create", "busy", "--every", "1s", "--", ...SYNC);
  await expect
    .poll(() => world.sandbox.requests({ operation: "sync_transactions" }).length)
    .toBeGreaterThan(0);
  await schedule("trigger", "busy");
  await expect
    .poll(() => described("busy").then(({ skipped_overlaps }) => skipped_overlaps))
    .toBeGreaterThan(2);
  expect((await described("busy")).last).toHaveLength(1);
  await schedule("delete", "busy");
  release();
  const runs = ["query", "--json", "select status from runs where schedule = 'busy'"];
  await expect.poll(async () => (await world.run(...runs)).stdout).toContain("completed");
  expect((await world.run("schedule", "describe", "busy")).code).toBe(2);
});
