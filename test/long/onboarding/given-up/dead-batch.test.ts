import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../../sandbox/index.js";
import { type JobFolder, openJobFolder } from "../../../helpers/command/job-folder.js";

let sandbox: Sandbox;
let folder: JobFolder;
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const DEAD = [
  ...["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--json"],
  ...["--mode", "sync", "--continue-invalid"],
];

// Its plan can't be made: a directory is where the log of its table belongs.
test("--restart gives up the batch of a killed command that a failing step holds up, and starts a new run", async () => {
  sandbox = await startSandbox({ playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] });
  sandbox.addUser({ fp_id: "fp_1" });
  folder = await openJobFolder(sandbox);
  await writeFile(join(folder.directory, "customers.csv"), "fp_id\na/b\nfp_1\n");
  await folder.command([...DEAD, "--validate-only"]).ended;
  const obstacle = join(folder.lake, "onboardings", "_delta_log", "00000000000000000000.json");
  await mkdir(join(obstacle, "in the way"), { recursive: true });
  const killed = folder.command(DEAD);
  const [, runId] = await killed.says(/^run (onboard-\S+)/m);
  await killed.says(/planCustomers is tried again: .*EISDIR/);
  await killed.end("SIGKILL");
  const restarted = folder.command([...DEAD, "--restart"]);
  expect((await restarted.says(/giving up run (\S+),/))[1]).toBe(runId);
  const [, fresh] = await restarted.says(/^run (onboard-\S+)/m);
  expect(fresh).not.toBe(runId);
  await rm(obstacle, { recursive: true });
  const { stdout, stderr } = await restarted.ended;
  expect(JSON.parse(stdout), stderr).toMatchObject({
    run_id: fresh,
    status: "completed_with_failures",
    customers: { total: 2, pass: 1, invalid: 1 },
  });
  expect(sandbox.onboardings.list()).toHaveLength(1);
});
