import { afterAll, afterEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";

const temporal = sharedTemporal();
const sandbox = eachTest(() =>
  startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 1, rows: 5, seed: 6 },
  }),
);
let folder: JobFolder;

afterAll(() => temporal.stop());
afterEach(async () => {
  await folder.release();
});

test("where the service refuses the key of a worker, the message names both places", async () => {
  folder = await openJobFolder(sandbox, clusterEnv(temporal));
  const worker = folder.command(["worker"], { NIGHTLEDGER_API_KEY: `${sandbox.apiKey}x` });
  await worker.says(/working on task queue/);
  const run = await folder.sync().ended;
  expect(run.code, run.stderr).toBe(4);
  expect(run.stderr).toMatch(
    /check NIGHTLEDGER_API_KEY in both places: of this command \(its environment, or \S+\.env\), and of the worker/,
  );
  expect(run.stderr + run.stdout).not.toContain(sandbox.apiKey);
  await worker.end("SIGTERM");
  const right = folder.command(["worker"]);
  await right.says(/working on task queue/);
  expect((await folder.sync().ended).code).toBe(0);
});
