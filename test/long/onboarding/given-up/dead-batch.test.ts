import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../../sandbox/index.js";
import type { OnboardSummary } from "../../../../src/domain/onboarding/batch/batch-totals.js";
import { taskQueue } from "../../../../src/domain/run.js";
import { giveUpRun } from "../../../../src/temporal/give-up.js";
import { tellFollow } from "../../../../src/temporal/onboarding/open-rows.js";
import type { ProcessEnd } from "../../../helpers/command/command-process.js";
import { type JobFolder, openJobFolder } from "../../../helpers/command/job-folder.js";
import { onboardWorlds } from "../../../helpers/onboarding/onboard-worlds.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const worlds = onboardWorlds();
const temporal = sharedTemporal();
afterAll(() => temporal.stop());

const releases: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

const ONBOARD = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--json"];
const DEAD = [...ONBOARD, "--mode", "sync", "--continue-invalid"];
const summaryOf = ({ stdout }: ProcessEnd) => JSON.parse(stdout) as OnboardSummary;

async function openFolder(
  open: (sandbox: Sandbox) => Promise<JobFolder>,
  delayMs: number,
  customers: readonly string[],
): Promise<{ sandbox: Sandbox; folder: JobFolder }> {
  const sandbox = await startSandbox({ playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, delayMs }] });
  releases.push(() => sandbox.close());
  sandbox.addUser({ fp_id: "fp_1" });
  const folder = await open(sandbox);
  releases.push(() => folder.release());
  await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...customers, ""].join("\n"));
  return { sandbox, folder };
}

/** The batch of a killed command whose plan can't be made: a directory is where the log of its table belongs. */
async function openDeadBatch() {
  const { sandbox, folder } = await openFolder(openJobFolder, 0, ["a/b", "fp_1"]);
  const judged = await folder.command([...DEAD, "--validate-only"]).ended;
  const { batch_id: batchId } = summaryOf(judged);
  const obstacle = join(folder.lake, "onboardings", "_delta_log", "00000000000000000000.json");
  await mkdir(join(obstacle, "in the way"), { recursive: true });
  const killed = folder.command(DEAD);
  const [, runId] = await killed.says(/^run (onboard-\S+)/m);
  await killed.says(/planCustomers is tried again: .*EISDIR/);
  await killed.end("SIGKILL");
  return { sandbox, folder, batchId, runId, obstacle };
}

test("--restart gives up a batch that a failing step holds up, and starts a new run", async () => {
  const { sandbox, folder, runId, obstacle } = await openDeadBatch();
  const restarted = folder.command([...DEAD, "--restart"]);
  expect((await restarted.says(/giving up run (\S+),/))[1]).toBe(runId);
  const [, fresh] = await restarted.says(/^run (onboard-\S+)/m);
  expect(fresh).not.toBe(runId);
  await rm(obstacle, { recursive: true });
  const ended = await restarted.ended;
  expect(summaryOf(ended), ended.stderr).toMatchObject({
    run_id: fresh,
    status: "completed_with_failures",
    customers: { total: 2, pass: 1, invalid: 1 },
  });
  expect(sandbox.onboardings.list()).toHaveLength(1);
});

test("the customers of a batch that was terminated are stopped, and the same command posts nothing twice", async () => {
  let isBroken = true;
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 600_000 }] },
    store: (store) => ({
      ...store,
      put: (key, ...rest) =>
        isBroken && key.endsWith("/outcomes.csv")
          ? Promise.reject(new Error("the disk does not answer"))
          : store.put(key, ...rest),
    }),
  });
  const rows = world.users(2);
  world.sandbox.playbooks.script({ entity: "fp_1", outcomes: [{ status: "pass", delayMs: 0 }] });
  const batch = await world.begin(rows);
  await world.until(batch, ({ customers: { pass } }) => pass === 1);
  const { client, scope } = world;
  const stop = () => tellFollow(client, { scope, taskQueue: taskQueue(scope) }, "stop", batch.batchId);
  await giveUpRun(client, batch, stop, { cancelMs: 3_000 });
  expect(await batch.handle.describe()).toMatchObject({ status: { name: "TERMINATED" } });
  await world.untilOpen("fp_2", (one) => one === undefined);

  isBroken = false;
  for (const one of world.sandbox.onboardings.list()) world.sandbox.onboardings.finish(one.id, "pass");
  const { summary } = await world.onboard(rows);
  expect(summary).toMatchObject({ status: "completed", customers: { total: 2, pass: 2 } });
  expect(world.sandbox.onboardings.list()).toHaveLength(2);
});
