import { afterAll, expect, test } from "vitest";
import { watchRun } from "../../../src/cli/shell/watch.js";
import { startTestTemporal } from "../../helpers/temporal/temporal-environment.js";

const temporal = await startTestTemporal();
afterAll(() => temporal.stop());

const ignored = {
  onProgress: () => undefined,
  isHalted: () => false,
  onSilence: () => undefined,
  onFailure: () => undefined,
};

test("a run that ended before its command was stopped is told of as it ended, and no other is", async () => {
  const { client } = await temporal.client();
  const session = { client, lost: new Promise<never>(() => undefined) } as never;
  const run = await client.workflow.start("sync", { workflowId: "stopped-late", taskQueue: "nobody" });
  const watched = () => watchRun(session, run, { ...ignored, signal: AbortSignal.abort() });
  expect(await watched()).toEqual({ kind: "interrupted" });
  await run.terminate();
  expect(await watched()).toEqual({ kind: "cancelled" });
});
