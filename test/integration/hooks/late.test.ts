import { Client } from "@temporalio/client";
import { afterAll, expect, test } from "vitest";
import { lateSchedules } from "../../../src/activities/hooks/find-late.js";
import { DAY, HOUR } from "../../../src/domain/duration.js";
import type { HookSettings } from "../../../src/domain/hook-settings.js";
import { scheduleId } from "../../../src/domain/schedules/scheduled-run.js";
import type { ScheduleTiming } from "../../../src/domain/schedules/timing.js";
import { putSchedule } from "../../../src/intake/schedules/schedules.js";
import { openLake } from "../../../src/lake/lake.js";
import { runs } from "../../../src/lake/tables/runs.js";
import { connectWorker } from "../../../src/temporal/connection.js";
import { dataConverter } from "../../../src/temporal/encryption/payload-codec.js";
import { eachTest } from "../../helpers/each-test.js";
import { startHookReceiver } from "../../helpers/hooks/hook-receiver.js";
import { appendRows } from "../../helpers/query/append-rows.js";
import type { SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const temporal = sharedTemporal();
const worlds = syncWorlds();
const receiver = eachTest(startHookReceiver);
afterAll(() => temporal.stop());

const UTC = { timezone: "UTC", jitterMs: 0 };
const NIGHTLY: ScheduleTiming = { ...UTC, kind: "at", times: [{ hour: 2, minute: 15 }] };
const WEEKLY: ScheduleTiming = { ...UTC, kind: "every", everyMs: 7 * DAY };

/** Makes a schedule whose runs no worker begins. */
async function put({ client, scope }: SyncWorld, name: string, timing: ScheduleTiming, paused = false) {
  const input = { runKind: "sync" };
  const id = scheduleId(scope, name);
  await putSchedule(client, {
    scheduleId: id,
    timing,
    workflowType: "none",
    taskQueue: "nobody",
    input,
    paused,
  });
  return () => client.schedule.getHandle(id).delete();
}

test("a schedule is late some time after its last run or after it was due, over a worker's connection too", async () => {
  const world = await worlds.open({ direct: true });
  const { namespace } = temporal;
  const connection = await connectWorker(temporal);
  const client = new Client({ connection, namespace, dataConverter: dataConverter(TEST_KEYS, namespace) });
  const lake = openLake({ directory: world.lake });
  const deletions = [
    await put(world, "nightly", NIGHTLY),
    await put(world, "weekly", WEEKLY),
    await put(world, "paused", NIGHTLY, true),
  ];
  try {
    const after = async (ms: number) =>
      (await lateSchedules(client, { scope: world.scope, lake }, 26 * HOUR, Date.now() + ms)).map(
        ({ schedule, runId }) => [schedule, runId],
      );
    const finished_at = new Date(Date.now() + 99 * DAY).toISOString();
    await appendRows(lake, runs, [{ run_id: "of a clock ahead", schedule: "nightly", finished_at }]);
    expect(await after(25 * HOUR)).toEqual([]);
    expect(await after(27 * HOUR)).toEqual([["nightly", null]]);
    expect(await after(9 * DAY)).toEqual([
      ["nightly", null],
      ["weekly", null],
    ]);
  } finally {
    for (const remove of deletions) await remove();
    await lake.close();
    await connection.close();
  }
});

test("a worker tells of a schedule that is late once, however often it looks", async () => {
  const hooks: HookSettings = { hooks: [{ on: ["late"], webhook: receiver.url }], lateMs: 1_500 };
  const world = await worlds.open({ direct: true, hooks });
  const remove = await put(world, "often", { ...UTC, kind: "every", everyMs: 1_000 });
  await expect.poll(() => receiver.taken(), { timeout: 30_000 }).toEqual(["late"]);
  const looks = async () => {
    const { events } = await world.client.workflow.getHandle(`hooks/${world.scope}/late`).fetchHistory();
    return events?.filter((event) => event.activityTaskCompletedEventAttributes).length;
  };
  const before = (await looks()) ?? 0;
  await expect.poll(looks, { timeout: 30_000 }).toBeGreaterThan(before + 2);
  await remove();
  expect(receiver.requests).toMatchObject([
    { body: { event: "late", schedule: "often", run: null, board: null } },
  ]);
});
