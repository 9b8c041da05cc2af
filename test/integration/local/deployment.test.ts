import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { runHere } from "../../helpers/command/command-here.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";

const NAMED = { NIGHTLEDGER_DEPLOYMENT: "test" };

const temporal = sharedTemporal();
let sandbox: Sandbox;
let folder: JobFolder;
beforeAll(async () => {
  sandbox = await startSandbox();
  folder = await openJobFolder(sandbox, clusterEnv(temporal));
});
afterAll(async () => {
  await folder?.release();
  await sandbox?.close();
  await temporal.stop();
});

test.each(["--drain", "--current"])(
  "worker %s without a deployment is a usage error that says so",
  async (flag) => {
    const { code, stderr } = await runHere(folder, ["worker", flag]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `NIGHTLEDGER_DEPLOYMENT is not set, so this build's workers have no version for ${flag}`,
    );
  },
);

test("a version that never had a worker has nothing to drain, and can't be made the current one", async () => {
  const drain = await runHere(folder, ["worker", "--drain"], NAMED);
  expect(drain).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^nothing is pinned to 0\.1\.0-[0-9a-f]{12} of test-[0-9a-f]{8}\n$/),
  });
  const current = await runHere(folder, ["worker", "--current"], NAMED);
  expect(current.code).toBe(2);
  expect(current.stderr).toContain("has had no worker, and would leave everything without one");
});

test("a name that Temporal would not take is refused before anything starts", async () => {
  const { code, stderr } = await runHere(folder, ["worker"], { NIGHTLEDGER_DEPLOYMENT: "a.b" });
  expect(code).toBe(2);
  expect(stderr).toContain('NIGHTLEDGER_DEPLOYMENT is "a.b"; nothing was started.');
});
