import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Connection } from "@temporalio/client";
import { expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { auditCalls } from "../../helpers/kill/call-audit.js";
import { stallsIn } from "../../helpers/kill/stalls.js";
import { auditLake } from "../../helpers/lake/lake-audit.js";

const PAGES = { operation: "sync_transactions" };

const sandbox = eachTest(() =>
  startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 3, rows: 1_000, seed: 4 },
    latencyMs: 60,
  }),
);
const folder = eachTest(() => openJobFolder(sandbox, { NIGHTLEDGER_LOG_LEVEL: "debug" }));

async function stepIsRepeated(): Promise<void> {
  const { port } = JSON.parse(await readFile(join(folder.home, "server.json"), "utf8"));
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  const { workflowService } = connection;
  const namespace = "default";
  try {
    const query = "WorkflowType = 'sync'";
    const { executions } = await workflowService.listWorkflowExecutions({ namespace, query });
    const execution = executions[0]?.execution ?? null;
    const attempts = async () => {
      const run = await workflowService.describeWorkflowExecution({ namespace, execution });
      return Math.max(0, ...run.pendingActivities.map(({ attempt }) => attempt ?? 0));
    };
    await expect.poll(attempts, { interval: 200 }).toBeGreaterThan(1);
  } finally {
    await connection.close();
  }
}

test("a worker that stalled until it counted as dead costs at most one page per link, and its log says so", async () => {
  // A slice whose page is held is under way; one that Temporal just gives away would not have begun.
  const release = sandbox.hold(PAGES);
  const arrived = sandbox.waitForRequests(1, PAGES);
  const command = folder.sync("--page-size", "50");
  await arrived;
  process.kill(command.pid, "SIGSTOP");
  await stepIsRepeated();
  process.kill(command.pid, "SIGCONT");
  release();
  const { code, stderr } = await command.ended;
  expect(code, stderr).toBe(0);
  const stalls = stallsIn(await readFile(join(folder.home, "nightledger.log"), "utf8"), new Set());
  expect(stalls).toHaveLength(1);
  expect(auditCalls(sandbox.requests(), stalls)).toEqual([]);
  expect(await auditLake(folder.lake, sandbox)).toEqual([]);
});
