import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";

const temporal = sharedTemporal();
let sandbox: Sandbox;
let folder: JobFolder;

afterAll(() => temporal.stop());
beforeEach(async () => {
  sandbox = await startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 1, rows: 5, seed: 6 },
  });
});
afterEach(async () => {
  await folder.release();
  await sandbox.close();
});

test.each([
  ["worker", "a cluster", /working on task queue/],
  ["dev", "embedded mode", /Ctrl-C ends it/],
] as const)(
  "a %s with a key that the service refuses is named with its start, by the run and by check (%s)",
  async (command, place, ready) => {
    const cluster = place === "a cluster" && {
      ...clusterEnv(temporal),
    };
    folder = await openJobFolder(sandbox, { ...cluster });
    const worker = folder.command([command], { NIGHTLEDGER_API_KEY: `${sandbox.apiKey}x` });
    await worker.says(ready);
    const named = String.raw`the worker ${worker.pid}@\S+ \(started \d{4}-\d\d-\d\d \d\d:\d\d UTC\)`;
    const run = await folder.sync().ended;
    expect(run.code, run.stderr).toBe(4);
    expect(run.stderr).toMatch(
      new RegExp(
        `the service refused the key of ${named}, which differs from this command's; restart that worker with the right NIGHTLEDGER_API_KEY`,
      ),
    );
    expect(run.stderr + run.stdout).not.toContain(sandbox.apiKey);
    const check = await folder.command(["check", "--json"]).ended;
    expect(check.code, check.stderr).toBe(2);
    const findings: { check: string; ok: boolean; detail: string }[] = JSON.parse(check.stdout).items;
    expect(findings.filter(({ ok }) => !ok)).toEqual([
      {
        check: "worker",
        ok: false,
        detail: expect.stringMatching(new RegExp(`^${named} has a different NIGHTLEDGER_API_KEY`)),
      },
    ]);
    await worker.end("SIGTERM");
    if (command === "dev") return;
    const right = folder.command([command]);
    await right.says(ready);
    expect((await folder.sync().ended).code).toBe(0);
  },
);
