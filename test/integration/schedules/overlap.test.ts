import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const SYNC = ["sync", "--roster", "users.csv"];

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox();
  sandbox.addLink({ fp_id: "u1", id: "l1", accounts: [{ id: "a1" }] });
  folder = await openClusterFolder(sandbox, sharedTemporal());
  await writeFile(folder.roster, "fp_id\nu1\n");
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const schedule = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(folder, ["schedule", ...args]);
  expect(code, stderr).toBe(0);
  return stdout;
};
const described = async (name: string) => JSON.parse(await schedule("describe", name, "--json"));

test("what becomes due while a run is running is skipped, a trigger too", async () => {
  const release = sandbox.hold({ operation: "sync_transactions" });
  await schedule("create", "busy", "--every", "1s", "--", ...SYNC);
  await expect.poll(() => sandbox.requests({ operation: "sync_transactions" }).length).toBeGreaterThan(0);
  await schedule("trigger", "busy");
  await expect
    .poll(() => described("busy").then(({ skipped_overlaps }) => skipped_overlaps))
    .toBeGreaterThan(2);
  expect((await described("busy")).last).toHaveLength(1);
  await schedule("delete", "busy");
  release();
  const runs = ["query", "--json", "select status from runs where schedule = 'busy'"];
  await expect.poll(async () => (await runHere(folder, runs)).stdout).toContain("completed");
  expect((await runHere(folder, ["schedule", "describe", "busy"])).code).toBe(2);
});
