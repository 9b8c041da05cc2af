import { fileURLToPath } from "node:url";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import { dataConverter } from "../../src/temporal/encryption/payload-codec.js";
import { installRuntime } from "../../src/temporal/runtime.js";
import { storedHistories } from "../helpers/temporal/replay-histories.js";
import { TEST_KEYS } from "../helpers/temporal/temporal-environment.js";
import { read, sourcesIn } from "../repository/source-tree.js";

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

test("each history that is stored is one that `record-*.ts` records, and none is missing", () => {
  const recorders = sourcesIn("test/replay").map(read).join("\n");
  const unknown = histories.filter(({ name }) => !recorders.includes(`"${name.replace(/\.json\.gz$/, "")}"`));
  expect(unknown.map(({ name }) => name)).toEqual([]);
  expect(histories).toHaveLength(24);
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
