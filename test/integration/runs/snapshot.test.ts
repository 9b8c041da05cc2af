import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox({ playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] });
  folder = await openClusterFolder(sandbox, temporal);
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const RESTORED = { NIGHTLEDGER_LAKE: "restored" };
const IMPORT = ["import", "--transactions", "rows.csv"];
const ONBOARD = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc"];
const run = async (...args: string[]) => JSON.parse((await runHere(folder, [...args, "--json"])).stdout);
const restored = (...args: string[]) => runHere(folder, args, RESTORED);
const plan = async (...job: string[]) => JSON.parse((await restored("plan", "--json", ...job)).stdout);
const write = (name: string, lines: readonly string[]) =>
  writeFile(join(folder.directory, name), `${lines.join("\n")}\n`);

test("a plan over a restored lake counts what was sent after the snapshot as open; a root is demanded", async () => {
  const link = sandbox.addLink({ fp_id: "fp_1", id: "l", accounts: [{ id: "a" }] });
  const rows = Array.from({ length: 25 }, (_, at) => `${link},a,${at + 1}.00,2026-01-05`);
  await write("rows.csv", ["link_id,account_id,amount,date", ...rows.slice(0, 20)]);
  await run(...IMPORT);
  const { root } = await run("lake", "snapshot", "snapshots", "--keep", "3");
  await write("rows.csv", ["link_id,account_id,amount,date", ...rows]);
  await run(...IMPORT);
  await write("customers.csv", ["fp_id", "fp_1"]);
  await run(...ONBOARD);
  const { root: newer, kept } = await run("lake", "snapshot", "snapshots");
  expect(kept).toBeGreaterThan(0);
  expect((await run("lake", "snapshot", "snapshots", "--list")).items).toMatchObject([
    { root },
    { root: newer },
  ]);

  const looked = await restored("lake", "restore", "snapshots", "--dry-run");
  expect(looked).toMatchObject({ code: 0, stdout: expect.stringContaining(newer) });
  const wrong = await restored("lake", "restore", "snapshots", "--root", `sha256:${"0".repeat(64)}`);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/no snapshot with the root/) });
  const done = await restored("lake", "restore", "snapshots", "--root", root);
  expect(done).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/nightledger verify.*nightledger plan/),
  });
  expect(await restored("verify")).toMatchObject({ code: 0 });
  expect(await plan(...IMPORT)).toMatchObject({ rows: 25, done: 20 });
  expect(await plan(...ONBOARD)).toMatchObject({ rows: 1, done: 0 });
  const again = await restored("lake", "restore", "snapshots");
  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is a lake already.*Nothing was copied/),
  });
});
