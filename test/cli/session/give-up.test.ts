import { afterAll, beforeAll, expect, test } from "vitest";
import { giveUpRun } from "../../../src/cli/session/give-up.js";
import { joinRun, type StartedRun } from "../../../src/cli/session/start-or-join.js";
import { startTestTemporal, type TestTemporal } from "../../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal?.stop());

test("a run that does not end when it is cancelled is terminated, and its staging goes with it", async () => {
  const { client } = await temporal.client();
  const start = { workflowId: "dead", taskQueue: "nobody", memo: { runId: "sync-1" } };
  await client.workflow.start("sync", start);
  const run = (await joinRun(client, "dead")) as StartedRun;
  const cleaned: string[] = [];
  await giveUpRun(client, run, async (runId) => void cleaned.push(runId), 500);
  expect(await run.handle.describe()).toMatchObject({ status: { name: "TERMINATED" } });
  expect(cleaned).toEqual(["sync-1"]);
});

test("a run of the same job that began since is left alone", async () => {
  const { client } = await temporal.client();
  await client.workflow.start("sync", { workflowId: "job", taskQueue: "nobody", memo: { runId: "sync-2" } });
  const run = (await joinRun(client, "job")) as StartedRun;
  const cleaned: string[] = [];
  await giveUpRun(client, { ...run, runId: "sync-1" }, async (runId) => void cleaned.push(runId), 500);
  expect(await run.handle.describe()).toMatchObject({ status: { name: "RUNNING" } });
  expect(cleaned).toEqual([]);
});
