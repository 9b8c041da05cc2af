import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { SECRET } from "../../helpers/webhooks/signed-webhook.js";

const CUSTOMERS = 60;
const ONBOARD = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--mode", "sync"];
const POST = { operation: "create_onboarding" };

let sandbox: Sandbox;
let folder: JobFolder;

beforeEach(async () => {
  sandbox = await startSandbox({ latencyMs: 60, playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] });
  const ids = Array.from({ length: CUSTOMERS }, (_, at) => `fp_${at + 1}`);
  for (const fp_id of ids) sandbox.addUser({ fp_id });
  folder = await openJobFolder(sandbox, {
    NIGHTLEDGER_WEBHOOK_SECRETS: SECRET,
    NIGHTLEDGER_API_CONCURRENCY: "3",
  });
  await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...ids, ""].join("\n"));
});
afterEach(async () => {
  await folder.release();
  await sandbox.close();
});

/** The set-up of docs/onboarding.md on one machine: a receiver, and beside it a command. */
async function startBoth() {
  const receiver = folder.command(["webhooks", "serve", "--port", "0"]);
  await receiver.says(/webhooks +\S+, test mode/);
  sandbox.clearRequests();
  const onboard = folder.command([...ONBOARD, "--window", "40", "--json"]);
  return { receiver, onboard };
}

test("a receiver and a command of one HOME obey one Retry-After, and one number of calls in flight", async () => {
  sandbox.addFault({ operation: POST.operation, nth: 12, kind: "status", status: 429, retryAfter: 3 });
  const { onboard } = await startBoth();
  const { code, stderr } = await onboard.ended;
  expect(code, stderr).toBe(0);
  const [refused] = sandbox.requests({ status: 429 });
  const closedAt = (refused?.at ?? 0) + (refused?.duration_ms ?? 0);
  const sentMeanwhile = sandbox.requests().filter(({ at }) => at > closedAt + 100 && at < closedAt + 2_900);
  expect(sentMeanwhile).toEqual([]);
  expect(sandbox.calls().max_in_flight).toBeLessThanOrEqual(3);
});

test("the process that works is killed: the other one takes over, and every customer is posted once", async () => {
  const { receiver, onboard } = await startBoth();
  await sandbox.waitForRequests(10, POST);
  await receiver.end("SIGKILL");
  const { code, stdout, stderr } = await onboard.ended;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ customers: { total: CUSTOMERS, pass: CUSTOMERS } });
  expect(sandbox.onboardings.list()).toHaveLength(CUSTOMERS);
});

test("a pause that one process was asked for is kept by the next", async () => {
  sandbox.addFault({ operation: POST.operation, nth: 3, kind: "status", status: 429, retryAfter: 6 });
  const killed = folder.command([...ONBOARD, "--window", "40", "--json"]);
  await sandbox.waitForRequests(3, POST);
  await expect.poll(() => sandbox.requests({ status: 429 })).toHaveLength(1);
  // Until it has the answer's head and has told the others.
  await expect.poll(() => sandbox.calls().in_flight).toBe(0);
  await killed.end("SIGKILL");
  const next = folder.command([...ONBOARD, "--window", "40", "--json"]);
  const { code, stderr } = await next.ended;
  expect(code, stderr).toBe(0);
  const [refused] = sandbox.requests({ status: 429 });
  const closedAt = (refused?.at ?? 0) + (refused?.duration_ms ?? 0);
  const sentMeanwhile = sandbox.requests().filter(({ at }) => at > closedAt + 100 && at < closedAt + 5_900);
  expect(sentMeanwhile).toEqual([]);
});
