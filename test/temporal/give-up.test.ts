import { afterAll, beforeAll, expect, test } from "vitest";
import { giveUpRun } from "../../src/temporal/give-up.js";
import { joinRun, type StartedRun } from "../../src/temporal/running-workflows.js";
import { startTestTemporal, type TestTemporal } from "../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal?.stop());

/** A run of a job on which nobody works. */
async function begun(workflowId: string, runId: string) {
  const { client } = await temporal.client();
  const started = await client.workflow.start("sync", { workflowId, taskQueue: "nobody", memo: { runId } });
  return { client, started, run: (await joinRun(client, workflowId)) as StartedRun };
}

test("a run that does not end when it is cancelled is terminated, and its staging goes with it", async () => {
  const { client, run } = await begun("dead", "sync-1");
  const cleaned: string[] = [];
  await giveUpRun(client, run, async (runId) => void cleaned.push(runId), { cancelMs: 500 });
  expect(await run.handle.describe()).toMatchObject({ status: { name: "TERMINATED" } });
  expect(cleaned).toEqual(["sync-1"]);
});

test("a run that makes progress towards its end is waited for, and given up once it stalls", async () => {
  const { client, started, run } = await begun("slow", "sync-3");
  let given = false;
  const giving = giveUpRun(client, run, async () => undefined, { cancelMs: 2_000 }).then(() => {
    given = true;
  });
  const until = Date.now() + 4_000;
  while (Date.now() < until) await started.signal("done");
  expect(given).toBe(false);
  expect(await run.handle.describe()).toMatchObject({ status: { name: "RUNNING" } });
  await giving;
  expect(await run.handle.describe()).toMatchObject({ status: { name: "TERMINATED" } });
});

test("a run that its user waits no longer for is left as it is", async () => {
  const { client, run } = await begun("left", "sync-4");
  const options = { cancelMs: 60_000, signal: AbortSignal.timeout(500) };
  await giveUpRun(client, run, () => Promise.reject(new Error("it was terminated")), options);
  expect(await run.handle.describe()).toMatchObject({ status: { name: "RUNNING" } });
});

test("a run of the same job that began since is left alone", async () => {
  const { client, run } = await begun("job", "sync-2");
  const cleaned: string[] = [];
  await giveUpRun(client, { ...run, runId: "sync-1" }, async (runId) => void cleaned.push(runId), {
    cancelMs: 500,
  });
  expect(await run.handle.describe()).toMatchObject({ status: { name: "RUNNING" } });
  expect(cleaned).toEqual([]);
});
