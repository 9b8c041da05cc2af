import { Client } from "@temporalio/client";
import { expect, test } from "vitest";
import { shownSchedules } from "../../../src/cli/schedules/described.js";
import { taskQueue } from "../../../src/domain/run.js";
import { scheduleId } from "../../../src/domain/schedules/scheduled-run.js";
import { EVENTS_SIGNAL } from "../../../src/domain/webhooks/messages.js";
import { unpausedSchedules } from "../../../src/intake/schedules/schedules.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

async function open() {
  const { client, scope } = await worlds.open();
  const queue = { taskQueue: taskQueue(scope) };
  const stranger = new Client({ connection: client.connection, namespace: client.options.namespace });
  return { client, scope, stranger, queue };
}

test("what has no payload of the deployment's keys starts nothing and steers nothing, and ends at once", async () => {
  const { client, scope, stranger, queue } = await open();
  const forged = { retainDays: -1, runId: "maintain-1", startedAt: "2026-11-28T00:00:00.000Z" };
  const attempts = [
    [stranger, { args: [forged] }],
    [stranger, {}],
    [stranger, { args: [{ unsealed: true }] }],
    [client, { args: [] }],
    [client, { args: [forged], memo: {} }],
  ] as const;
  const causes: { message?: string }[] = [];
  for (const [by, given] of attempts) {
    const workflowId = `forged-${causes.length}`;
    await by.workflow.start("maintain", { workflowId, ...queue, ...given });
    const run = client.workflow.getHandle(workflowId);
    causes.push(await run.result().catch((error) => error.cause));
    const { events } = await run.fetchHistory();
    const ids = events?.map(({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name);
    expect(ids?.filter(Boolean)).toEqual(causes.length === attempts.length ? ["maintainLake"] : []);
  }
  const refused = { type: "InputError", nonRetryable: true };
  expect(causes.slice(0, 4)).toMatchObject(Array(4).fill(refused));
  expect(causes[0]?.message).toMatch(/^the input or the memo of this workflow is not sealed with .* keys/);
  expect(causes[4]).toMatchObject({ cause: { message: expect.stringMatching(/^retain: less than 7 days/) } });

  const workflowId = "signalled";
  const events = await client.workflow.signalWithStart("webhookEvents", {
    ...{ workflowId, ...queue, args: [{ scope }] },
    ...{ signal: EVENTS_SIGNAL, signalArgs: [[]] },
  });
  await stranger.workflow.getHandle(workflowId).signal(EVENTS_SIGNAL, [{ forged: true }]);
  await stranger.workflow.getHandle(workflowId).signal(EVENTS_SIGNAL);
  await events.result();
});

test("a schedule that was made without the keys is listed as that, and holds up no listing", async () => {
  const { client, scope, stranger, queue } = await open();
  const made = [[{ command: ["sync"], timing: {}, runKind: "sync" }], []].map(async (args, at) => {
    const [id, never] = [scheduleId(scope, `forged-${at}`), { calendars: [{ year: 2099 }] }];
    const action = {
      type: "startWorkflow",
      workflowType: "fireSchedule",
      workflowId: id,
      ...queue,
      args,
    } as const;
    return stranger.schedule.create({ scheduleId: id, spec: never, action });
  });
  const handles = await Promise.all(made);
  await expect
    .poll(() => shownSchedules(client, scope))
    .toMatchObject([
      { name: "forged-0", when: "unknown", command: expect.stringMatching(/^made without .* keys/) },
      { name: "forged-1", when: "unknown" },
    ]);
  expect(await unpausedSchedules(client, scope)).toMatchObject([{ kind: "" }, { kind: "" }]);
  for (const handle of handles) await handle.delete();
});
