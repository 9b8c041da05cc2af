import { decodeFromPayloadsAtIndex } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ALERT_SECRET, type AlertReceiver, startAlertReceiver } from "../../helpers/alerts/alert-receiver.js";
import { compiledProgram } from "../../helpers/command/compiled-program.js";
import { startFaultWorker } from "../../helpers/kill/kill-step.js";
import { addLink } from "../../helpers/sync/scripted-links.js";
import type { SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const worlds = syncWorlds();
let receiver: AlertReceiver;
let script: string;
beforeAll(async () => {
  script = compiledProgram("test/helpers/kill/fault-worker.ts");
});
afterAll(() => temporal.stop());
beforeEach(async () => {
  receiver = await startAlertReceiver();
});
afterEach(() => receiver.close());

async function openWorld() {
  const settings = { rules: { "failed-links": 0 }, targets: { webhook: receiver.url } };
  const alerts = { settings, secret: ALERT_SECRET };
  const world = await worlds.open({ direct: true, alerts });
  addLink(world, "good", 5);
  addLink(world, "bad", 5);
  const fault = world.sandbox.addFault({ kind: "status", status: 400, link: "bad" });
  return { world, alerts, repair: () => world.sandbox.removeFault(fault) };
}

const table = (world: SyncWorld) =>
  world.rows(
    `select state, delivery, count(*)::int as rows from alerts
     group by all order by state desc, delivery nulls first`,
  );
const ONCE = [
  { state: "raised", delivery: null, rows: 1 },
  { state: "raised", delivery: "delivered", rows: 1 },
  { state: "cleared", delivery: null, rows: 1 },
  { state: "cleared", delivery: "delivered", rows: 1 },
];
const BOTH = ["alert.raised", "alert.cleared"];

/** A second bad night, and a good one. */
async function moreNights(world: SyncWorld, repair: () => void) {
  await world.sync();
  repair();
  await world.sync();
  await expect.poll(() => receiver.taken()).toEqual(BOTH);
  await expect.poll(() => table(world)).toEqual(ONCE);
}

test("a link that fails for two nights raises one alert, and the good night ends it; what is not taken comes again", async () => {
  const { world, repair } = await openWorld();
  receiver.refuse(503, 429);
  const { runId, result } = await world.sync();
  expect(result.links.failed).toBe(1);
  await expect.poll(() => receiver.taken()).toEqual(["alert.raised"]);
  const [refused, ...again] = receiver.requests;
  expect(receiver.requests.map(({ status }) => status)).toEqual([503, 429, 204]);
  expect(again.map(({ id, body }) => ({ id, body }))).toEqual(
    Array(2).fill({ id: refused?.id, body: refused?.body }),
  );
  expect(receiver.requests.every(({ isSigned }) => isSigned)).toBe(true);
  expect(refused).toMatchObject({
    contentType: "application/json",
    body: {
      text: expect.stringMatching(
        /^Nightledger, failed-links: 1 bank link failed when last read; allowed: 0\.\n/,
      ),
      content: expect.stringContaining(`runs retry ${runId}`),
      alert: { rule: "failed-links", subject: "links", state: "raised", run_id: runId },
    },
  });
  await moreNights(world, repair);
  const [, , , over] = receiver.requests;
  expect(over?.body.alert.alert_id).toBe(refused?.body.alert.alert_id);
  expect(over?.id).not.toBe(refused?.id);
});

test("the worker is killed between the commit of an alert and its delivery: the next one delivers it, once", async () => {
  const { world, alerts, repair } = await openWorld();
  await world.stopWorker();
  const fault = { on: "putIfAbsent", key: "^alerts/_delta_log/", when: "after", effect: "kill" } as const;
  const child = await startFaultWorker(temporal, script, world, fault, { alerts });
  const { handle } = await world.start();
  expect(await child.ended).toMatchObject({ signal: "SIGKILL" });
  expect(receiver.requests).toEqual([]);
  expect(await table(world)).toEqual([{ state: "raised", delivery: null, rows: 1 }]);
  await world.startWorker();
  await handle.result();
  await expect.poll(() => receiver.taken()).toEqual(["alert.raised"]);
  await moreNights(world, repair);
  expect(receiver.requests).toHaveLength(2);
});

test("a webhook that never answers holds up no run; its address is in no history and no log; what is given up is recorded", async () => {
  const { world, repair } = await openWorld();
  await receiver.close();
  await world.sync();
  repair();
  expect((await world.sync()).result.status).toBe("completed");
  expect(await table(world)).toEqual([
    { state: "raised", delivery: null, rows: 1 },
    { state: "cleared", delivery: null, rows: 1 },
  ]);
  const [row] = await world.rows("select alert_id from alerts limit 1");
  const given = await startedWith(world, `alerts/${world.scope}/${row?.alert_id}/webhook`);
  expect(given).toEqual({
    alertId: row?.alert_id,
    target: "webhook",
    targets: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(await world.log()).not.toContain("T0/secret");
  // What no further attempt can help is given up at once, and recorded.
  await world.store.deletePrefix("_staging/alerts/");
  await expect
    .poll(() => table(world))
    .toEqual([
      { state: "raised", delivery: null, rows: 1 },
      { state: "raised", delivery: "undelivered", rows: 1 },
      { state: "cleared", delivery: null, rows: 1 },
      { state: "cleared", delivery: "undelivered", rows: 1 },
    ]);
  expect(await world.log()).toContain("an alert was not delivered");
});

/** What a workflow was started with, decrypted. */
async function startedWith({ client }: SyncWorld, workflowId: string): Promise<unknown> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const { payloads } = events?.[0]?.workflowExecutionStartedEventAttributes?.input ?? {};
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, payloads);
}
