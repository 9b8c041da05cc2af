import { afterAll, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { auditCalls } from "../../helpers/kill/call-audit.js";
import { auditLake } from "../../helpers/lake/lake-audit.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";

const PAGES = { operation: "sync_transactions" };

const temporal = sharedTemporal();
const sandbox = eachTest(() =>
  startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 3, rows: 1_000, seed: 5 },
    latencyMs: 60,
  }),
);
const folder = eachTest(() =>
  openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "3", ...clusterEnv(temporal) }),
);

afterAll(() => temporal.stop());

async function startWorkerCommand() {
  const worker = folder.command(["worker"]);
  await worker.says(/working on task queue/);
  return worker;
}

test("a worker that is asked to stop ends what it has begun and sends no further call; the next one continues", async () => {
  const worker = await startWorkerCommand();
  const arrived = sandbox.waitForRequests(30, PAGES);
  const command = folder.sync("--page-size", "20");
  await arrived;
  const stopped = await worker.end("SIGTERM");
  expect(stopped).toMatchObject({ code: 0, stderr: expect.stringContaining("takes no more work") });
  const callsAtEnd = sandbox.calls().total;
  await command.says(/no worker is running/);
  expect(sandbox.calls().total).toBe(callsAtEnd);
  await startWorkerCommand();
  const end = await command.ended;
  expect(end.code, end.stderr).toBe(0);
  expect(sandbox.calls().total, "the first worker left something").toBeGreaterThan(callsAtEnd);
  expect(auditCalls(sandbox.requests(), []), "no page is asked for again").toEqual([]);
  expect(await auditLake(folder.lake, sandbox)).toEqual([]);
});
