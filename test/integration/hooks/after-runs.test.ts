import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { decodeFromPayloadsAtIndex } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDeliveries } from "../../../src/activities/hooks/call-hooks.js";
import { pendingDeliveries } from "../../../src/cli/session/hook-deliveries.js";
import type { HookSettings } from "../../../src/domain/hook-settings.js";
import { taskQueue } from "../../../src/domain/run.js";
import { compiledProgram } from "../../helpers/command/compiled-program.js";
import { eachTest } from "../../helpers/each-test.js";
import { HOOK_SECRET, startHookReceiver } from "../../helpers/hooks/hook-receiver.js";
import { startFaultWorker } from "../../helpers/kill/kill-step.js";
import { addLink } from "../../helpers/sync/scripted-links.js";
import type { SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const worlds = syncWorlds();
const receiver = eachTest(startHookReceiver);
let script: string;
beforeAll(async () => {
  script = compiledProgram("test/helpers/kill/fault-worker.ts");
});
afterAll(() => temporal.stop());

const COMMAND =
  'cat >"$NIGHTLEDGER_LAKE_OF_TEST-$NIGHTLEDGER_RUN_EVENT"; echo "said: $NIGHTLEDGER_RUN_OUTCOME"';

async function openWorld() {
  const hooks: HookSettings = {
    hooks: [
      { on: ["failed", "recovered"], webhook: receiver.url },
      { on: ["completed"], jobs: ["sync"], command: COMMAND },
      { on: ["completed"], jobs: ["import"], webhook: `${receiver.url}/import` },
    ],
    board: "https://board.example",
    secret: HOOK_SECRET,
  };
  const world = await worlds.open({ direct: true, hooks });
  process.env.NIGHTLEDGER_LAKE_OF_TEST = join(dirname(world.lake), "told");
  addLink(world, "a", 5);
  const fault = world.sandbox.addFault({ kind: "status", status: 401 });
  return { world, hooks, repair: () => world.sandbox.removeFault(fault) };
}

test("a run that failed is told once, also to a webhook that refuses at first, and so is the good one after it", async () => {
  const { world, repair } = await openWorld();
  receiver.refuse(503, 429);
  const { runId } = await world.sync();
  await expect.poll(() => receiver.taken()).toEqual(["failed"]);
  const [refused, ...again] = receiver.requests;
  expect(receiver.requests.map(({ status }) => status)).toEqual([503, 429, 204]);
  expect(again.map(({ id, body }) => ({ id, body }))).toEqual(
    Array(2).fill({ id: refused?.id, body: refused?.body }),
  );
  expect(receiver.requests.every(({ isSigned }) => isSigned)).toBe(true);
  expect(refused).toMatchObject({
    id: `${runId}-failed`,
    contentType: "application/json",
    body: {
      content: expect.stringMatching(/^Nightledger: sync failed: the service refused the API key/),
      board: `https://board.example/runs/${runId}`,
      run: {
        run_id: runId,
        status: "failed",
        reason: "credentials_refused",
        findings: [],
        phases: [{}, {}, {}],
      },
    },
  });
  expect((await world.sync()).result.status).toBe("failed");
  repair();
  const good = await world.sync();
  await expect.poll(() => receiver.taken()).toEqual(["failed", "recovered"]);
  expect(receiver.requests.at(-1)?.id).toBe(`${good.runId}-recovered`);
  const told = () => readFile(join(dirname(world.lake), "told-completed"), "utf8").catch(() => "null");
  await expect
    .poll(async () => JSON.parse(await told()))
    .toMatchObject({ event: "completed", run: { run_id: good.runId, counts: { created: 5 } } });
  await expect.poll(() => world.log()).toContain("said: completed");
  expect(await startedWith(world, good.runId, "recovered")).toEqual({
    hook: expect.stringMatching(/^[0-9a-f]{16}$/),
    event: "recovered",
    runId: good.runId,
    schedule: null,
  });
  expect(await world.log()).not.toContain("T0/secret");
});

test("the worker is killed after the row of a run and before its hooks are called: the next one calls them, once", async () => {
  const { world, hooks } = await openWorld();
  await world.stopWorker();
  const fault = { on: "putIfAbsent", key: "^runs/_delta_log/", when: "after", effect: "kill" } as const;
  const child = await startFaultWorker(temporal, script, world, fault, { hooks });
  const { handle } = await world.start();
  expect(await child.ended).toMatchObject({ signal: "SIGKILL" });
  expect(receiver.requests).toEqual([]);
  await world.startWorker();
  await handle.result();
  await expect.poll(() => receiver.taken()).toEqual(["failed"]);
  await world.sync();
  await world.sync();
  expect(receiver.requests).toHaveLength(1);
});

test("what a hook does not take, and what is given up, shows in `status`", async () => {
  const { world, hooks } = await openWorld();
  await receiver.close();
  const { runId } = await world.sync();
  const [{ webhook } = {}] = hooks.hooks;
  const place = { client: world.client, taskQueue: taskQueue(world.scope) };
  const lost = { hook: { on: [], webhook }, event: "completed" } as const;
  await startDeliveries(place.client, place.taskQueue, [lost], { runId: "sync-gone", schedule: null });
  const since = expect.stringMatching(/^20.*Z$/);
  await expect
    .poll(() => pendingDeliveries(place.client, place.taskQueue), { timeout: 20_000 })
    .toEqual([
      {
        about: runId,
        event: "failed",
        since,
        reason: expect.stringMatching(/^the webhook at http:\S+ did not answer/),
        given_up: false,
      },
      {
        about: "sync-gone",
        event: "completed",
        since,
        reason: "run sync-gone is not in the lake any more",
        given_up: true,
      },
    ]);
});

/** What a delivery was started with, decrypted. */
async function startedWith({ client, scope }: SyncWorld, runId: string, event: string): Promise<unknown> {
  const query = `WorkflowId STARTS_WITH 'hooks/${scope}/${runId}/${event}/'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const { payloads } = events?.[0]?.workflowExecutionStartedEventAttributes?.input ?? {};
    return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, payloads);
  }
  return undefined;
}
