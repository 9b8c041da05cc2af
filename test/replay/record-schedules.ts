import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HookSettings } from "../../src/domain/hook-settings.js";
import { taskQueue } from "../../src/domain/run.js";
import type { ScheduledJob } from "../../src/intake/schedules/scheduled-job.js";
import { openSyncWorld, type SyncWorld } from "../helpers/sync/sync-harness.js";
import { recordHistory } from "../helpers/temporal/replay-histories.js";
import { startTestTemporal, type TestTemporal } from "../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
let world: SyncWorld;
beforeAll(async () => {
  temporal = await startTestTemporal();
  world = await openSyncWorld(temporal, { direct: true });
});
afterAll(async () => {
  await world?.close();
  await temporal?.stop();
});

test("a firing of a schedule, and one whose roster is gone", async () => {
  world.sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  const { client, scope } = world;
  const roster = join(dirname(world.lake), "users.csv");
  await writeFile(roster, "fp_id\nu\n");
  const options = { streams: ["transactions"], links: null, full: false, pageSize: 500 };
  for (const [workflowId, path] of [
    ["fire-schedule", roster],
    ["fire-schedule-failed", `${roster}.gone`],
  ] as const) {
    const job: ScheduledJob = { kind: "sync", roster: path, options };
    const args = [{ schedule: "nightly", scope, runKind: "sync", job }];
    const start = { workflowId, taskQueue: taskQueue(scope), args };
    const ended = (await client.workflow.start("fireSchedule", start)).result();
    if (path === roster) expect(await ended).toMatchObject({ schedule: "nightly", status: "completed" });
    else await expect(ended).rejects.toThrow();
    await recordHistory(client, workflowId, workflowId);
  }
});

test("a watch for late schedules that has looked some times", async () => {
  const hooks: HookSettings = { hooks: [{ on: ["late"], command: "true" }], lateMs: 1_000 };
  const watched = await openSyncWorld(temporal, { direct: true, hooks });
  try {
    const { client, scope } = watched;
    const workflowId = `hooks/${scope}/late`;
    const looks = async () => {
      const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
      return events?.filter((event) => event.activityTaskCompletedEventAttributes).length;
    };
    await expect.poll(looks, { timeout: 30_000 }).toBeGreaterThan(2);
    await recordHistory(client, "watch-late", workflowId);
  } finally {
    await watched.close();
  }
});
