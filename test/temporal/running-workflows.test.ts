import { afterAll, beforeAll, expect, test } from "vitest";
import { failureKind, pendingFailuresOf } from "../../src/temporal/running-workflows.js";
import { startTestTemporal, type TestTemporal } from "../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal?.stop());

/** The failures of a run of which Temporal describes this more. */
async function failuresOf(workflowId: string, pending: object): Promise<readonly string[]> {
  const { client } = await temporal.client();
  const run = await client.workflow.start("sync", { workflowId, taskQueue: "nobody" });
  const { raw, ...described } = await run.describe();
  return pendingFailuresOf(client, { ...described, raw: { ...raw, ...pending } } as never);
}

test("a child that is asked for and not started yet is not a failure", async () => {
  const pendingChildren = [{ workflowId: "customer-not-started" }, { workflowId: "batch" }];
  expect(await failuresOf("batch", { pendingChildren })).toEqual([]);
});

test("a step without an answer and a workflow that can't continue are named after the third attempt", async () => {
  const failures = (attempt: number) => {
    const lastFailure = { message: "activity Heartbeat timeout", timeoutFailureInfo: {} };
    const pendingActivities = [{ activityType: { name: "load" }, attempt, lastFailure }];
    return failuresOf(`stuck ${attempt}`, { pendingActivities, pendingWorkflowTask: { attempt } });
  };
  expect(await failures(3)).toEqual([]);
  expect(await failures(4)).toEqual([
    "load is tried again: activity Heartbeat timeout",
    "the workflow sync itself fails again and again; the log says why",
  ]);
});

test("a step that its worker left when it was stopped is not a failure, however often that was", async () => {
  const message = "Worker is shutting down and this activity did not complete in time";
  const lastFailure = { message, applicationFailureInfo: { type: "WorkerShutdown" } };
  const pendingActivities = [{ activityType: { name: "extract" }, attempt: 9, lastFailure }];
  expect(await failuresOf("stopped", { pendingActivities })).toEqual([]);
});

test("failures that differ in their file are of one kind, others are not", () => {
  const full = (file: string) => `post is tried again: No space left to write ${file} (ENOSPC). Make room.`;
  expect(failureKind(full("/lake/a/1"))).toBe(failureKind(full("/lake/b/2")));
  expect(failureKind("post is tried again: status 503")).not.toBe(
    failureKind("post is tried again: status 502"),
  );
});
