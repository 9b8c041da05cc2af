import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { createApiClient } from "../../../src/api/http/client.js";
import { getUser } from "../../../src/api/operations/user.js";
import { taskQueue } from "../../../src/domain/run.js";
import { sharePause } from "../../../src/temporal/fleet/fleet.js";
import { eachTest } from "../../helpers/each-test.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const releases: (() => unknown)[] = [];
const sandbox = eachTest(startSandbox);

beforeEach(async () => {
  sandbox.addUser({ fp_id: "fp_1" });
});
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});
afterAll(() => temporal.stop());

/** Calls the service as a worker on a machine of its own does. */
async function machine(scope: string) {
  const caller = createApiClient({
    ...{ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 4, userAgent: "test" },
    ...{ headersTimeoutMs: 10_000, bodyTimeoutMs: 10_000, maxBodyBytes: 1_000_000 },
  });
  const { client } = await temporal.client();
  const leave = sharePause(client, taskQueue(scope), caller);
  releases.push(() => caller.close(), leave);
  return {
    caller,
    look: () => caller.read(getUser, { path: { fp_id: "fp_1" } }, { notAfter: Date.now() + 1_000 }),
  };
}

test("a pause that the service asks one worker for closes the others, and a longer one takes its place", async () => {
  const scope = randomUUID();
  releases.push(async () => {
    const { client } = await temporal.client();
    await client.workflow.getHandle(`pause-${scope}`).terminate();
  });
  const [one, other] = [await machine(scope), await machine(scope)];
  const pausedBy = async (asked: typeof one, retryAfter: number) => {
    sandbox.addFault({ operation: "get_user", kind: "status", status: 429, retryAfter, times: 1 });
    await expect(asked.look()).rejects.toThrow(/429/);
    return asked.caller.pausedUntil;
  };
  // It makes calls, so it looks.
  await other.look();
  const until = await pausedBy(one, 300);
  expect(until).toBeGreaterThan(Date.now() + 200_000);
  await expect.poll(async () => other.look().catch(() => other.caller.pausedUntil)).toBe(until);
  const longer = await pausedBy(await machine(scope), 600);
  expect(longer).toBeGreaterThan(until ?? 0);
  const { client } = await temporal.client();
  const told = async () => (await client.workflow.getHandle(`pause-${scope}`).describe()).memo?.until;
  await expect.poll(told).toBe(longer);
});
