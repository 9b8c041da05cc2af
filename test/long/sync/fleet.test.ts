import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { auditLake } from "../../helpers/lake/lake-audit.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";

const RPS = 40;
const PAGES = { operation: "sync_transactions" };

const temporal = sharedTemporal();
let sandbox: Sandbox;
let folder: JobFolder;

afterAll(() => temporal.stop());
beforeEach(async () => {
  // Some twelve hundred calls, so that the first worker still reads when the second one has its share.
  sandbox = await startSandbox({
    population: { kind: "synthetic", users: 10, linksPerUser: 10, rows: 120, seed: 5 },
  });
  folder = await openJobFolder(sandbox, {
    NIGHTLEDGER_API_FLEET_RPS: String(RPS),
    NIGHTLEDGER_LOG_LEVEL: "info",
    ...clusterEnv(temporal),
  });
});
afterEach(async () => {
  await folder.release();
  await sandbox.close();
});

/** The most calls that began within a window of these milliseconds. */
function mostWithin(starts: readonly number[], ms: number): number {
  let from = 0;
  return starts.reduce((most, at, index) => {
    while (at - (starts[from] ?? 0) >= ms) from += 1;
    return Math.max(most, index - from + 1);
  }, 0);
}

test("two workers, of which the second comes later, never call faster than the fleet may", async () => {
  const first = folder.command(["worker"]);
  await first.says(/working on task queue/);
  const arrived = sandbox.waitForRequests(60, PAGES);
  const command = folder.sync("--page-size", "10");
  await arrived;
  const second = folder.command(["worker"]);
  await second.says(/share of the fleet's calls/);
  await first.says(/"workers":2/);
  const end = await command.ended;
  expect(end.code, end.stderr).toBe(0);
  expect(await auditLake(folder.lake, sandbox)).toEqual([]);
  const starts = sandbox.requests(PAGES).map(({ at }) => at);
  const windowMs = 2_000;
  // Two calls more: a timer may be some milliseconds early, and a call late.
  expect(mostWithin(starts, windowMs)).toBeLessThanOrEqual((RPS * windowMs) / 1_000 + 2);
  expect(second.printed().stderr).toMatch(/"rps":19,/);
});
