import { expect, test } from "vitest";
import { MOST_RESTARTS } from "../../../src/domain/sync/link-reading.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import {
  addLink,
  addRows,
  feedOf,
  linkSync,
  liveIds,
  removed,
  syncCalls,
  updated,
} from "../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("refused in the middle: the update begins again at its first cursor, and staged pages are dropped", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  const first = await world.sync();
  const { cursor_out } = (await linkSync(world, first.runId, "a")) ?? {};
  addRows(world.sandbox, "a", 35, 5);
  world.sandbox.addFault({ kind: "log_changed", link: "a", page: 2, times: 1 });
  world.sandbox.clearRequests();
  const { runId, result } = await world.sync({ pageSize: 10 });
  const cursors = syncCalls(world, "a").map(({ cursor, status }) => [cursor === cursor_out, status]);
  expect(cursors).toEqual([
    [true, 200],
    [false, 200],
    [false, 400],
    [true, 200],
    [false, 200],
    [false, 200],
    [false, 200],
  ]);
  expect(await linkSync(world, runId, "a")).toMatchObject({
    status: "synced",
    pages: 4,
    restarts: 1,
    created: 35,
    cursor_in: cursor_out,
  });
  expect(result.restarts).toBe(1);
  await expectLakeEqualsTruth(world);
});

test("refused in the middle again and again: that link fails, the others continue", async () => {
  const world = await worlds.open();
  addLink(world, "a", 25);
  addLink(world, "b", 25, "fp_2");
  world.sandbox.addFault({ kind: "log_changed", link: "a", page: 1, after: 0, probability: 1 });
  const started = Date.now();
  const { runId, result } = await world.sync({ pageSize: 10 });
  const refusals = syncCalls(world, "a").filter(({ status }) => status === 400);
  expect(refusals).toHaveLength(MOST_RESTARTS + 1);
  expect(Date.now() - started).toBeGreaterThan(15_000);
  expect(await linkSync(world, runId, "a")).toMatchObject({
    status: "failed",
    restarts: MOST_RESTARTS,
    reason: "update_refused http_400 after 5 restarts",
  });
  expect(result).toMatchObject({ status: "completed_with_failures", links: { synced: 1, failed: 1 } });
  expect(await feedOf(world, "a")).toEqual([]);
  await expectLakeEqualsTruth(world, ["b"]);
});

test("a refused stored cursor: everything is read again, removals are inferred, a new generation begins", async () => {
  const world = await worlds.open();
  addLink(world, "a", 12);
  addLink(world, "b", 3);
  await world.sync();
  world.sandbox.append("a", [removed("a-0003"), removed("a-0004"), updated("a-0005", { amount: "99.99" })]);
  addRows(world.sandbox, "a", 1, 12);
  const truthHistory = world.sandbox.truth("a").rows;
  world.sandbox.removeLink("a");
  world.sandbox.addLink({ fp_id: "fp_1", id: "a" });
  world.sandbox.append(
    "a",
    truthHistory.map(({ text, transaction_id }) => ({ change: "created", raw: text, id: transaction_id })),
  );
  world.sandbox.refuseCursors("a");
  world.sandbox.clearRequests();
  const { runId } = await world.sync();
  expect(
    syncCalls(world, "a").map(({ query, status }) => [query.cursor !== undefined, query.size, status]),
  ).toEqual([
    [true, "500", 400],
    [true, "100", 400],
    [true, undefined, 400],
    [false, "500", 200],
  ]);
  expect(await linkSync(world, runId, "a")).toMatchObject({
    status: "synced",
    generation: 2,
    cursor_in: null,
    created: 11,
    removed: 2,
  });
  expect((await feedOf(world, "a")).slice(-2)).toEqual([
    "removed a-0003 inferred",
    "removed a-0004 inferred",
  ]);
  await expectLakeEqualsTruth(world);
});

test("the old generation stays readable until the new one is published", async () => {
  const world = await worlds.open();
  addLink(world, "a", 12);
  await world.sync();
  const before = await liveIds(world, "a");
  world.sandbox.refuseCursors("a");
  world.sandbox.addFault({ kind: "wrong_body", link: "a", body: "{}", cursor: false });
  const { runId } = await world.sync();
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "failed", generation: 1 });
  expect(await liveIds(world, "a")).toEqual(before);
});

test("resync_would_remove: more than half of the known rows go only with --full", async () => {
  const world = await worlds.open();
  addLink(world, "a", 60);
  await world.sync();
  world.sandbox.removeLink("a");
  addLink(world, "a", 25);
  world.sandbox.refuseCursors("a");
  const refused = await world.sync();
  expect(await linkSync(world, refused.runId, "a")).toMatchObject({
    status: "failed",
    reason: "resync_would_remove 35 of 60",
    created: 0,
  });
  expect(await liveIds(world, "a")).toHaveLength(60);
  const full = await world.sync({ full: true });
  expect(await linkSync(world, full.runId, "a")).toMatchObject({
    status: "synced",
    created: 25,
    removed: 35,
    generation: 2,
  });
  expect(full.result.rows).toMatchObject({ created: 25, removed: 35 });
  await expectLakeEqualsTruth(world);
});

test("few rows, or at most half of them, are removed by a resync without --full; all of them never", async () => {
  const world = await worlds.open();
  addLink(world, "few", 21);
  addLink(world, "half", 60);
  addLink(world, "all", 2);
  await world.sync();
  for (const [link, rows] of [
    ["few", 1],
    ["half", 30],
    ["all", 0],
  ] as const) {
    world.sandbox.removeLink(link);
    addLink(world, link, rows);
    world.sandbox.refuseCursors(link);
  }
  const { runId } = await world.sync();
  expect(await linkSync(world, runId, "few")).toMatchObject({ status: "synced", removed: 20 });
  expect(await linkSync(world, runId, "half")).toMatchObject({ status: "synced", removed: 30 });
  expect(await linkSync(world, runId, "all")).toMatchObject({ reason: "resync_would_remove 2 of 2" });
  await world.sync({ full: true });
  await expectLakeEqualsTruth(world);
});

test("--full reads every link again without a cursor and keeps the change types delivered", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  world.sandbox.append("a", [updated("a-0001", { amount: "7.00" }), removed("a-0002")]);
  await world.sync();
  const feed = await feedOf(world, "a");
  world.sandbox.clearRequests();
  const { runId } = await world.sync({ full: true });
  expect(syncCalls(world, "a").map(({ cursor }) => cursor)).toEqual([undefined]);
  expect(await linkSync(world, runId, "a")).toMatchObject({
    generation: 2,
    created: 5,
    updated: 1,
    removed: 1,
  });
  expect(await feedOf(world, "a")).toEqual([...feed, ...feed]);
  await expectLakeEqualsTruth(world);
});

test("a refused size falls back to 100, and what worked is remembered for the run", async () => {
  const world = await worlds.open({ api: { concurrency: 1 } });
  addLink(world, "a", 250);
  world.sandbox.addFault({ kind: "size_refused", above: 100 });
  await world.sync({ users: ["fp_1"] });
  expect(syncCalls(world, "a").map(({ query, status }) => [query.size, status])).toEqual([
    ["500", 400],
    ["100", 200],
    ["100", 200],
    ["100", 200],
  ]);
  await expectLakeEqualsTruth(world);
});

test("every size refused: the link is asked without one", async () => {
  const world = await worlds.open();
  addLink(world, "a", 150);
  world.sandbox.addFault({ kind: "size_refused" });
  await world.sync();
  expect(syncCalls(world, "a").map(({ query, status }) => [query.size, status])).toEqual([
    ["500", 400],
    ["100", 400],
    [undefined, 200],
    [undefined, 200],
  ]);
  await expectLakeEqualsTruth(world);
});

test("a first page that is refused whatever is asked: without a cursor the link fails", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  addLink(world, "b", 5);
  world.sandbox.addFault({ kind: "status", status: 422, link: "a" });
  const { runId, result } = await world.sync();
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "failed", reason: "refused http_422" });
  expect(result.links).toMatchObject({ failed: 1, synced: 1 });
  expect(syncCalls(world, "a")).toHaveLength(3);
  await expectLakeEqualsTruth(world, ["b"]);
});

test("404 on a link is skipped as link_gone, at its first page and in the middle", async () => {
  const world = await worlds.open();
  addLink(world, "first", 5);
  addLink(world, "middle", 25);
  addLink(world, "good", 1);
  world.sandbox.addFault({ kind: "link_gone", link: "first" });
  world.sandbox.addFault({ kind: "link_gone", link: "middle", after: 1 });
  const { runId, result } = await world.sync({ pageSize: 10 });
  for (const link of ["first", "middle"]) {
    expect(await linkSync(world, runId, link)).toMatchObject({ status: "skipped", reason: "link_gone" });
    expect(await feedOf(world, link)).toEqual([]);
  }
  expect(result).toMatchObject({ status: "completed", links: { skipped: 2, synced: 1 } });
  // Only a 404 to a call without a cursor says that the link is gone.
  const asked = syncCalls(world, "middle").map(({ query, status }) => ["cursor" in query, status]);
  expect(asked).toEqual([
    [false, 200],
    [true, 404],
    [false, 404],
  ]);
});
