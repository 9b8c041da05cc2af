import type { WorkflowExecutionDescription } from "@temporalio/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { troubleKind, troublesOf } from "../../../src/cli/session/pending-failures.js";
import { startTestTemporal, type TestTemporal } from "../../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal?.stop());

test("a child that is asked for and not started yet is no trouble", async () => {
  const { client } = await temporal.client();
  const run = await client.workflow.start("batch", { workflowId: "batch", taskQueue: "nobody" });
  const { raw, ...described } = await run.describe();
  const pendingChildren = [{ workflowId: "customer-not-started" }, { workflowId: "batch" }];
  const seen = { ...described, raw: { ...raw, pendingChildren } } as WorkflowExecutionDescription;
  expect(await troublesOf(client, seen)).toEqual([]);
});

test("troubles that differ in their file are of one kind, others are not", () => {
  const full = (file: string) => `post is tried again: No space left to write ${file} (ENOSPC). Make room.`;
  expect(troubleKind(full("/lake/a/1"))).toBe(troubleKind(full("/lake/b/2")));
  expect(troubleKind("post is tried again: status 503")).not.toBe(
    troubleKind("post is tried again: status 502"),
  );
});
