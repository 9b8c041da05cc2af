import { Client } from "@temporalio/client";
import { expect, test } from "vitest";
import { taskQueue } from "../../../src/domain/run.js";
import { EVENTS_SIGNAL } from "../../../src/domain/webhooks/messages.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("what has no payload of the deployment's keys starts nothing and steers nothing, and ends at once", async () => {
  const { client, scope } = await worlds.open();
  const queue = { taskQueue: taskQueue(scope) };
  const stranger = new Client({ connection: client.connection, namespace: client.options.namespace });
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
