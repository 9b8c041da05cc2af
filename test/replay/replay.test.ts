import { fileURLToPath } from "node:url";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import { dataConverter } from "../../src/temporal/encryption/payload-codec.js";
import { installRuntime } from "../../src/temporal/runtime.js";
import { storedHistories } from "../helpers/temporal/replay-histories.js";
import { TEST_KEYS } from "../helpers/temporal/temporal-environment.js";

// Made by `npm run build`.
const codePath = fileURLToPath(new URL("../../dist/workflow-bundle.js", import.meta.url));
installRuntime({ debug() {}, info() {}, warn() {}, error() {} });

const histories = await storedHistories();
const quiet = { fn() {} };
const options = {
  workflowBundle: { codePath },
  dataConverter: dataConverter(TEST_KEYS, "default"),
  sinks: { runLog: { info: quiet, warn: quiet } },
};

test("there are histories of runs, batches, open rows, webhooks, bulk jobs, schedules, late ones, and of both sides of a continue-as-new", () => {
  const names = histories.map(({ name }) => name);
  for (const part of [
    "plain-run",
    "quiet-run",
    "troubled-run",
    "long-run",
    "grown-run-1",
    "grown-run-2",
    "onboard-batch",
    "follow",
    "follow-waiting",
    "follow-output",
    "onboard-batch-cancelled",
    "follow-stopped",
    "onboard-batch-grown-1",
    "onboard-batch-grown-2",
    "follow-grown-1",
    "follow-grown-2",
    "webhook-events",
    "follow-up-sync",
    "service-pause",
    "bulk-job",
    "bulk-job-cancelled",
    "bulk-job-pack",
    "fire-schedule",
    "fire-schedule-failed",
    "watch-late",
  ]) {
    expect(names).toContain(`${part}.json.gz`);
  }
});

test.for(histories.map((stored) => [stored.name, stored] as const))(
  "%s replays with the workflows of today",
  async ([, { history, workflowId }]) => {
    await Worker.runReplayHistory(options, history, workflowId);
  },
);

test("a history that the workflows would not have made is found out", async () => {
  const stored = histories.find(({ name }) => name === "plain-run.json.gz");
  const events = stored?.history.events ?? [];
  const scheduled = events.find(
    ({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name === "readSlice",
  );
  const type = scheduled?.activityTaskScheduledEventAttributes?.activityType;
  if (stored === undefined || !type) throw new Error("the plain run has no readSlice");
  type.name = "planSomethingElse";
  await expect(Worker.runReplayHistory(options, stored.history, stored.workflowId)).rejects.toThrow(
    /TMPRL1100|[Nn]ondeterminism/,
  );
});
