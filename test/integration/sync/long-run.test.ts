import type { WorkflowHandle } from "@temporalio/client";
import { decodeFromPayloadsAtIndex } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { tsToMs } from "@temporalio/common/lib/time.js";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { taskQueue } from "../../../src/domain/run.js";
import { rosterText } from "../../../src/domain/sync/job.js";
import { COMMIT_EVERY_MS } from "../../../src/domain/sync/run/limits.js";
import type { ReadSliceInput } from "../../../src/domain/sync/run/slice-work.js";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import { startUnlessRunning } from "../../../src/temporal/running-workflows.js";
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

/** Starts a run whose roster is frozen in files of one user each. */
async function startRun(
  users: readonly string[],
  name = "long",
  given: object = {},
): Promise<{ handle: WorkflowHandle; runId: string }> {
  const runId = `sync-20261122T000000Z-${world.scope.slice(0, 5)}${name.length}`;
  for (const [group, fp_id] of users.entries()) {
    await world.store.put(`_staging/${runId}/roster/${group}.jsonl`, rosterText([{ fp_id }] as never));
  }
  const handle = await startUnlessRunning(world.client, "sync", {
    workflowId: `sync/${world.scope}/${name}`,
    taskQueue: taskQueue(world.scope),
    memo: { runId },
    args: [
      {
        ...{ runId, jobId: name, startedAt: new Date().toISOString(), carried: null, ...given },
        roster: { sha256: "0".repeat(64), users: users.length, groupSize: 1 },
        options: {
          ...{ streams: ["accounts", "bank_links", "transactions"], links: null, full: false },
          pageSize: 10,
        },
      },
    ],
  });
  if (handle === undefined) throw new Error("a run of this world is still running");
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

test("a run whose history has grown continues as new: every user and link once, second tries too", async () => {
  world = await openSyncWorld(small, {});
  const users = Array.from({ length: 12 }, (_, n) => `fp_${n}`);
  for (const [n, user] of users.entries()) {
    addLink(world, `${user}-a`, 12, user);
    // Each is tried again at another time: slices enough to fill some histories.
    world.sandbox.addFault({ kind: "status", status: 503, link: `${user}-a`, page: 1, times: 1 + (n % 4) });
  }
  for (const user of users.slice(0, 6)) {
    addLink(world, `${user}-late`, 3, user);
    world.sandbox.addFault({ kind: "not_ready", link: `${user}-late`, times: 1 });
  }
  const { handle, runId } = await startRun(users);
  const result = (await handle.result()) as SyncSummary;
  expect(result).toMatchObject({
    ...{ run_id: runId, status: "completed" },
    ...{ users: { total: 12, failed: 0 }, links: { synced: 18 }, rows: { created: 12 * 12 + 6 * 3 } },
  });
  const histories = await historiesOf(handle);
  expect(histories.length).toBeGreaterThan(2);
  // What is under way when it is suggested: three slices, two loads, a commit.
  for (const events of histories) expect(events.length).toBeLessThan(100);
  expect((await handle.describe()).memo?.runId).toBe(runId);
  expect(await world.rows("select run_id, users from runs")).toEqual([{ run_id: runId, users: 12 }]);
  expect(await world.store.list(`_staging/${runId}/`)).toEqual([]);
  await expectLakeEqualsTruth(world);
});

test("links with nothing new cost a few activities, and no more of history, however many they are", async () => {
  world = await openSyncWorld(ordinary, {});
  const users = Array.from({ length: 60 }, (_, n) => `fp_${n}`);
  for (const user of users)
    for (const link of ["a", "b", "c", "d", "e"]) addLink(world, `${user}-${link}`, 1, user);
  await (await startRun(users)).handle.result();
  const { handle } = await startRun(users, "quiet");
  expect(await handle.result()).toMatchObject({ status: "completed", links: { unchanged: 300 }, calls: 420 });
  const [events = []] = await historiesOf(handle);
  const scheduled = events.flatMap(({ activityTaskScheduledEventAttributes: of }) => of ?? []);
  const activities = scheduled.map(({ activityType }) => activityType?.name ?? "");
  const { loadedDataConverter } = world.client.options;
  const slices = scheduled
    .filter(({ activityType }) => activityType?.name === "readSlice")
    .map(({ input }) => decodeFromPayloadsAtIndex<ReadSliceInput>(loadedDataConverter, 0, input?.payloads));
  // Slices of a third of what is left begin together; any other continues what one had no time for on a busy machine.
  const first = await Promise.all(slices.slice(0, 3));
  expect(Math.max(...first.map(({ fresh }) => fresh?.to ?? 0))).toBe(users.length);
  const others = activities.filter((name) => name !== "readSlice");
  expect([...new Set(others)].sort()).toEqual([...["commit", "dropJournals", "finishRun", "materialize"]]);
  const [began = Number.NaN, ended] = [events[0], events.at(-1)].map((event) => tsToMs(event?.eventTime));
  // The run's end deletes what is left, so a store that deletes nothing keeps nobody from reading.
  const attempts = scheduled.flatMap(({ activityType, retryPolicy }) =>
    activityType?.name === "dropJournals" ? [retryPolicy?.maximumAttempts] : [],
  );
  expect(new Set(attempts)).toEqual(new Set([1]));
  const most = 1 + Math.floor((Number(ended) - began) / COMMIT_EVERY_MS);
  for (const name of others) expect(others.filter((one) => one === name).length).toBeLessThanOrEqual(most);
  const sizes = events.map((event) => JSON.stringify(event).length);
  expect(Math.max(...sizes)).toBeLessThan(4_000);
});

test("a link that a second user's list holds is taken of its own user alone", async () => {
  world = await openSyncWorld(ordinary, {});
  // The first and the last user are in different slices.
  const users = Array.from({ length: 700 }, (_, n) => `fp_${String(n).padStart(3, "0")}`);
  for (const user of users) world.sandbox.addUser({ fp_id: user });
  addLink(world, "shared", 25, "fp_000");
  addLink(world, "beside", 3, "fp_699");
  world.sandbox.world.users.get("fp_699")?.linkIds.push("shared");
  const { result } = await world.sync();
  expect(result).toMatchObject({ status: "completed_with_failures", rows: { created: 25 } });
  expect(result.failures).toMatchObject([
    { owner: "fp_699", reason: expect.stringMatching(/another_subject/) },
  ]);
  const rows = await world.rows("select link_id, status, reason from link_syncs order by all");
  expect(rows).toEqual([{ link_id: "shared", status: "synced", reason: null }]);
  expect(
    await world.rows(
      "select count(*) as n, count(distinct sequence) as s from transaction_changes where link_id = 'shared'",
    ),
  ).toEqual([{ n: 25, s: 25 }]);
});

test("an update that does not end holds nobody up: rows come into transactions, its link ends, and the next run goes on", async () => {
  world = await openSyncWorld(ordinary, {});
  for (const link of ["good", "endless"]) addLink(world, link, 25);
  world.sandbox.setLatency(100);
  world.sandbox.addFault({ id: "endless", kind: "endless", link: "endless" });
  const firing = { schedule: "s", dueAt: new Date().toISOString(), everyMs: 2 * COMMIT_EVERY_MS };
  const { handle } = await startRun(["fp_1"], "night", { firing });
  const ofGood = "select count(*) as n from transactions where link_id = 'good'";
  const seen = () => world.rows(ofGood).catch(() => []);
  await expect.poll(seen, { timeout: 120_000, interval: 500 }).toEqual([{ n: 25 }]);
  expect((await handle.describe()).status.name).toBe("RUNNING");
  const links = { synced: 1, still_reading: 1 };
  expect(await handle.result()).toMatchObject({ status: "completed", links });
  world.sandbox.removeFault("endless");
  const next = await startRun(["fp_1"], "onward");
  expect(await next.handle.result()).toMatchObject({
    links: { synced: 1, unchanged: 1 },
    rows: { created: 1 },
  });
  const syncs = "select status from link_syncs where link_id = 'endless' order by finished_at";
  expect(await world.rows(syncs)).toEqual([{ status: "still_reading" }, { status: "synced" }]);
  await expectLakeEqualsTruth(world);
});
