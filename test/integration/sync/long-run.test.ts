import type { WorkflowHandle } from "@temporalio/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { taskQueue } from "../../../src/domain/run.js";
import { rosterText } from "../../../src/domain/sync/roster.js";
import { startUnlessRunning } from "../../../src/temporal/running-workflows.js";
import type { SyncResult } from "../../../src/workflows/sync/sync.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { addLink } from "../../helpers/sync/scripted-links.js";
import { openSyncWorld, type SyncWorld } from "../../helpers/sync/sync-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { startSmallHistories } from "../../helpers/temporal/small-histories.js";
import type { TestTemporal } from "../../helpers/temporal/temporal-environment.js";

const ordinary = sharedTemporal();
let small: TestTemporal;
let world: SyncWorld;
beforeAll(async () => {
  small = await startSmallHistories();
});
afterEach(() => world.close());
afterAll(async () => {
  await small.stop();
  await ordinary.stop();
});

/** Starts a run whose groups are of one user each. */
async function startRun(users: readonly string[]): Promise<{ handle: WorkflowHandle; runId: string }> {
  const runId = `sync-20261122T000000Z-${world.scope.slice(0, 6)}`;
  for (const [group, fp_id] of users.entries()) {
    await world.store.put(`_staging/${runId}/roster/${group}.jsonl`, rosterText([{ fp_id }] as never));
  }
  const handle = await startUnlessRunning(world.client, "sync", {
    workflowId: `sync/${world.scope}/long`,
    taskQueue: taskQueue(world.scope),
    memo: { runId },
    args: [
      {
        ...{ runId, jobId: "long", startedAt: new Date().toISOString(), carried: null },
        roster: { sha256: "0".repeat(64), users: users.length, groupSize: 1 },
        options: {
          ...{ streams: ["accounts", "bank_links", "transactions"], links: null, full: false },
          pageSize: 10,
        },
      },
    ],
  });
  if (handle === undefined) throw new Error("a run of this world is going on");
  return { handle, runId };
}

/** Histories of a workflow's executions, the last one first. */
async function historiesOf({ workflowId }: WorkflowHandle) {
  const histories = [];
  let runId: string | undefined;
  do {
    const { events } = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push(events ?? []);
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  } while (runId !== undefined);
  return histories;
}

test("a run whose history has grown continues as new: every group once, second tries too", async () => {
  world = await openSyncWorld(small, {});
  const users = Array.from({ length: 12 }, (_, n) => `fp_${n}`);
  for (const user of users) addLink(world, `${user}-a`, 12, user);
  for (const user of users.slice(0, 6)) {
    addLink(world, `${user}-late`, 3, user);
    world.sandbox.addFault({ kind: "not_ready", link: `${user}-late`, times: 1 });
  }
  const { handle, runId } = await startRun(users);
  const result = (await handle.result()) as SyncResult;
  expect(result).toMatchObject({
    ...{ run_id: runId, status: "completed" },
    ...{ users: { total: 12, failed: 0 }, links: { synced: 18 }, rows: { created: 12 * 12 + 6 * 3 } },
  });
  const histories = await historiesOf(handle);
  expect(histories.length).toBeGreaterThan(2);
  // Four groups that are going on when it is suggested, with a start, an end and what they tell.
  for (const events of histories) expect(events.length).toBeLessThan(120);
  expect((await handle.describe()).memo?.runId).toBe(runId);
  expect(await world.rows("select run_id, users from runs")).toEqual([{ run_id: runId, users: 12 }]);
  expect(await world.store.list(`_staging/${runId}/`)).toEqual([]);
  await expectLakeEqualsTruth(world);
});

test("a group tells its run how far it is by the clock, however many slices it takes", async () => {
  world = await openSyncWorld(ordinary, {});
  for (let link = 0; link < 12; link += 1) {
    addLink(world, `l${link}`, 12);
    world.sandbox.addFault({ kind: "status", status: 503, link: `l${link}`, page: 1, times: 1 + (link % 4) });
  }
  const began = Date.now();
  const { handle, runId } = await startRun(["fp_1"]);
  expect(await handle.result()).toMatchObject({ status: "completed", links: { synced: 12 } });
  const took = Date.now() - began;
  const [events = []] = await historiesOf(handle);
  const told = events.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal).length;
  const group = await world.client.workflow.getHandle(`${handle.workflowId}/${runId}/g0`).fetchHistory();
  const slices = group.events?.filter(
    ({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name === "extract",
  ).length;
  expect(slices).toBeGreaterThan(4);
  expect(told).toBeLessThanOrEqual(1 + took / 10_000);
});
