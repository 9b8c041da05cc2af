import { expect, test } from "vitest";
import { rowsOfFiles } from "../../helpers/lake/file-rows.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import {
  addLink,
  addRows,
  created,
  feedOf,
  linkSync,
  liveIds,
  removed,
  syncCalls,
  updated,
  versionsOf,
} from "../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("a link without a cursor is asked without the parameter, and its whole history is read", async () => {
  const world = await worlds.open();
  addLink(world, "a", 25);
  const { runId, result } = await world.sync({ pageSize: 10 });
  expect(syncCalls(world, "a").map(({ query }) => Object.keys(query).sort())).toEqual([
    ["size"],
    ["cursor", "size"],
    ["cursor", "size"],
  ]);
  expect(result).toMatchObject({ status: "completed", pages: 3, calls: 5 });
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", pages: 3, created: 25 });
  await expectLakeEqualsTruth(world);
});

test("a second run on unchanged links costs one call per link and two per user", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  addLink(world, "b", 5);
  await world.sync();
  world.sandbox.clearRequests();
  const { result } = await world.sync();
  expect(result.links).toMatchObject({ unchanged: 2, synced: 0 });
  expect(result.calls).toBe(4);
  expect(world.sandbox.calls().by_operation).toEqual({
    list_bank_links: 1,
    list_user_accounts: 1,
    sync_transactions: 2,
  });
  await expectLakeEqualsTruth(world);
});

test("no next at the end keeps the previous cursor, and zero rows are a success", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  const first = await world.sync();
  const { cursor_out } = (await linkSync(world, first.runId, "a")) ?? {};
  world.sandbox.addFault({ kind: "no_cursor", link: "a", next: "missing" });
  const { runId, result } = await world.sync();
  expect(result.status).toBe("completed");
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "unchanged", cursor_out });
});

test("a first history that is not ready, whatever next says, writes nothing and is tried again at the end of the run", async () => {
  const ways = ["missing", "empty", "null"] as const;
  const world = await worlds.open();
  for (const next of ways) {
    addLink(world, next, 5, `fp_${next}`);
    world.sandbox.addFault({ kind: "not_ready", link: next, next, times: 2 });
  }
  addLink(world, "b", 3);
  const first = await world.sync();
  expect(first.result.links).toMatchObject({ not_ready: 3, synced: 1 });
  expect(first.result.status).toBe("completed");
  for (const next of ways) {
    expect(syncCalls(world, next).map(({ query }) => query)).toEqual([{ size: "500" }, { size: "500" }]);
    expect(await linkSync(world, first.runId, next)).toMatchObject({
      status: "not_ready",
      certificate: null,
    });
    expect(await feedOf(world, next)).toEqual([]);
  }
  const second = await world.sync();
  for (const next of ways) {
    expect(await linkSync(world, second.runId, next)).toMatchObject({ status: "synced", cursor_in: null });
  }
  await expectLakeEqualsTruth(world);
});

test("the second try of the same run reads a history that has become ready", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  world.sandbox.addFault({ kind: "not_ready", link: "a", times: 1 });
  const { runId, result } = await world.sync();
  expect(result.links).toMatchObject({ synced: 1, not_ready: 0 });
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", created: 5 });
  await expectLakeEqualsTruth(world);
});

test("an empty next never overwrites a good cursor", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  const first = await world.sync();
  world.sandbox.addFault({ kind: "not_ready", link: "a", next: "empty", times: 1 });
  const second = await world.sync();
  const before = await linkSync(world, first.runId, "a");
  expect(await linkSync(world, second.runId, "a")).toMatchObject({
    status: "unchanged",
    cursor_in: before?.cursor_out,
    cursor_out: before?.cursor_out,
  });
  addRows(world.sandbox, "a", 2, 5);
  expect((await world.sync()).result.rows.created).toBe(2);
  await expectLakeEqualsTruth(world);
});

test("has_more with a next that is missing, the same, empty or null ends as a loop, never spins and never succeeds", async () => {
  const ways = ["missing", "same", "empty", "null"] as const;
  const world = await worlds.open();
  for (const next of ways) {
    addLink(world, next, 25, `fp_${next}`);
    world.sandbox.addFault({ kind: "loop", link: next, next, cursor: true });
  }
  addLink(world, "b", 5);
  const { runId, result } = await world.sync({ pageSize: 10 });
  expect(result).toMatchObject({ status: "completed_with_failures", links: { synced: 1, failed: 4 } });
  const failures = ways.map((owner) => ({ stream: "transactions", owner, reason: "cursor_loop" }));
  expect(result.failures).toHaveLength(4);
  expect(result.failures).toEqual(expect.arrayContaining(failures));
  for (const next of ways) {
    expect(syncCalls(world, next), next).toHaveLength(2);
    expect(await linkSync(world, runId, next)).toMatchObject({ status: "failed", reason: "cursor_loop" });
    expect(await feedOf(world, next)).toEqual([]);
  }
  await expectLakeEqualsTruth(world, ["b"]);
});

test("an update of many pages ends only with has_more false", async () => {
  const world = await worlds.open();
  addLink(world, "a", 1_500);
  const { runId } = await world.sync({ pageSize: 10 });
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", pages: 150, created: 1_500 });
  await expectLakeEqualsTruth(world);
});

test("has_more with empty lists continues", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  world.sandbox.addFault({ kind: "empty_page", link: "a", times: 3 });
  const { runId } = await world.sync();
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", pages: 4, created: 5 });
  await expectLakeEqualsTruth(world);
});

test("unchanged where only the cursor moved: the new cursor is committed, without a feed row", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  const first = await world.sync();
  world.sandbox.addFault({ kind: "empty_page", link: "a", cursor: true, times: 1 });
  world.sandbox.addFault({ kind: "loop", link: "a", next: "missing", times: 0 });
  const second = await world.sync();
  const [before, after] = [await linkSync(world, first.runId, "a"), await linkSync(world, second.runId, "a")];
  expect(after).toMatchObject({ status: "unchanged", created: 0, cursor_in: before?.cursor_out });
  await expectLakeEqualsTruth(world);
});

test("a page that is replayed adds nothing", async () => {
  const world = await worlds.open();
  addLink(world, "a", 25);
  world.sandbox.addFault({ kind: "page_replayed", link: "a", times: 2 });
  const { runId } = await world.sync({ pageSize: 10 });
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", created: 25, pages: 5 });
  expect(await feedOf(world, "a")).toHaveLength(25);
  await expectLakeEqualsTruth(world);
});

test("the last page on a cursor that does not move adds nothing when it comes again", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  await world.sync();
  addRows(world.sandbox, "a", 2, 5);
  world.sandbox.addFault({ kind: "no_cursor", link: "a", next: "same" });
  const second = await world.sync();
  expect(await linkSync(world, second.runId, "a")).toMatchObject({ status: "synced", created: 2 });
  for (let again = 0; again < 2; again += 1) {
    const { runId, result } = await world.sync();
    expect(result.rows.created).toBe(0);
    expect(await linkSync(world, runId, "a")).toMatchObject({ status: "unchanged" });
  }
  world.sandbox.clearFaults();
  addRows(world.sandbox, "a", 1, 7);
  await world.sync();
  await expectLakeEqualsTruth(world);
});

test("rows delivered but never a next: committed, and the next run reads everything again", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  world.sandbox.addFault({ kind: "no_cursor", link: "a", times: 1 });
  const first = await world.sync();
  expect(await linkSync(world, first.runId, "a")).toMatchObject({ status: "synced", cursor_out: null });
  await expectLakeEqualsTruth(world);
  world.sandbox.append("a", [removed("a-0001")]);
  const second = await world.sync();
  expect(await linkSync(world, second.runId, "a")).toMatchObject({
    status: "synced",
    generation: 2,
    cursor_in: null,
    cursor_out: expect.any(String),
  });
  await expectLakeEqualsTruth(world);
});

test("a full resync that ends without a next is not published", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  const first = await world.sync();
  world.sandbox.refuseCursors("a");
  world.sandbox.addFault({ kind: "no_cursor", link: "a", times: 1 });
  const second = await world.sync();
  const before = await linkSync(world, first.runId, "a");
  expect(await linkSync(world, second.runId, "a")).toMatchObject({
    status: "failed",
    reason: "resync_without_cursor",
    cursor_out: before?.cursor_out,
  });
  await world.sync();
  await expectLakeEqualsTruth(world);
});

test("pending removed on one page and posted created on the next: every version has exactly one", async () => {
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append("a", [created("P", { pending: true })]);
  await world.sync();
  world.sandbox.append("a", [removed("P"), created("Q")]);
  const { runId } = await world.sync({ pageSize: 1 });
  expect(await linkSync(world, runId, "a")).toMatchObject({ pages: 2, created: 1, removed: 1 });
  expect(await liveIds(world, "a")).toEqual(["Q"]);
  for (const files of await versionsOf(world, "transactions")) {
    expect(await rowsOfFiles(`select transaction_id from read_parquet([${files}])`)).toHaveLength(1);
  }
  await expectLakeEqualsTruth(world);
});

test("an id kept from pending to posted is updated in place", async () => {
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append("a", [created("T", { pending: true, amount: "10.00" })]);
  await world.sync();
  world.sandbox.append("a", [updated("T", { pending: false, amount: "11.50" })]);
  await world.sync();
  expect(await feedOf(world, "a")).toEqual(["created T", "updated T"]);
  expect(await liveIds(world, "a")).toEqual(["T"]);
  await expectLakeEqualsTruth(world);
});

test("created, updated and removed on one page and across pages: page order wins", async () => {
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append("a", [
    created("one"),
    updated("one", { description: "second" }),
    created("two"),
    removed("two"),
    created("three"),
    removed("three"),
    created("three", { description: "again" }),
  ]);
  await world.sync();
  expect(await feedOf(world, "a")).toEqual([
    "created one",
    "created two",
    "created three",
    "updated one",
    "removed two",
    "removed three",
    "created three",
  ]);
  expect(await liveIds(world, "a")).toEqual(["one", "three"]);
  await expectLakeEqualsTruth(world);
});

test("two identical payments with different ids are both kept", async () => {
  const world = await worlds.open();
  addLink(world, "a", 0);
  world.sandbox.append("a", [created("x"), created("y")]);
  await world.sync();
  expect(await liveIds(world, "a")).toEqual(["x", "y"]);
  await expectLakeEqualsTruth(world);
});
