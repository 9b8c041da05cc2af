import { expect, test } from "vitest";
import { InputError } from "../../../../src/domain/failures.js";
import { leftOf } from "../../../../src/domain/run.js";
import type { SyncSummary } from "../../../../src/domain/sync/sync-summary.js";
import { namedPages } from "../../../../src/lake/sync/journal/journal.js";
import { type FaultStore, withFaults } from "../../../helpers/kill/fault-store.js";
import { expectLakeEqualsTruth } from "../../../helpers/lake/lake-truth.js";
import {
  addLink,
  addRows,
  feedOf,
  linkSync,
  liveIds,
  syncCalls,
  versionsOf,
} from "../../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("the worker stops after page 2 of 3: nothing is published, and at most one page is requested again", async () => {
  const world = await worlds.open();
  addLink(world, "a", 25);
  const hang = world.sandbox.addFault({ kind: "hang", link: "a", page: 2 });
  const { handle, runId } = await world.start({ pageSize: 10 });
  while (syncCalls(world, "a").length < 3) await world.sandbox.waitForRequests(1, { link: "a" });
  await world.stopWorker();
  expect((await world.store.list("transaction_changes/")).length).toBe(0);
  const staged = [];
  for await (const page of namedPages(world.store, runId)) staged.push(page);
  expect(staged.filter(({ stream }) => stream === "transactions").map(({ page }) => page)).toEqual([0, 1]);
  world.sandbox.removeFault(hang);
  await world.startWorker();
  const result = (await handle.result()) as SyncSummary;
  expect(result).toMatchObject({ status: "completed", links: { synced: 1 } });
  const cursors = syncCalls(world, "a").map(({ cursor }) => cursor);
  expect(cursors).toHaveLength(4);
  expect(new Set(cursors).size).toBe(3);
  await expectLakeEqualsTruth(world);
});

test("a stopped worker sends no further call", async () => {
  const world = await worlds.open();
  for (let link = 0; link < 40; link += 1) addLink(world, `l${link}`, 12);
  world.sandbox.setLatency(50);
  const { handle } = await world.start({ pageSize: 1 });
  await world.sandbox.waitForRequests(60);
  await world.stopWorker();
  const total = world.sandbox.calls().total;
  await expect.poll(() => world.sandbox.calls().in_flight).toBe(0);
  expect(world.sandbox.calls().total).toBe(total);
  world.sandbox.setLatency(0);
  await world.startWorker();
  expect(await handle.result()).toMatchObject({ status: "completed", links: { synced: 40 } });
  await expectLakeEqualsTruth(world);
});

test("a page and a commit that fail, a file and a commit whose answers are lost: rows and cursor come together, once", async () => {
  const commit = {
    on: "putIfAbsent",
    key: "^transaction_changes/_delta_log/\\d{20}\\.json$",
    effect: "lost",
  } as const;
  let store: FaultStore | undefined;
  const world = await worlds.open({
    store: (inner) => {
      store = withFaults(inner, [
        { on: "append", key: " page transactions$", nth: 2, when: "before", effect: "lost" },
        { on: "upload", key: "^transaction_changes/.*parquet$", when: "after", effect: "lost" },
        { ...commit, when: "before" },
        // The next one after the other has struck.
        { ...commit, when: "after" },
      ]);
      return store;
    },
  });
  addLink(world, "a", 25);
  const { runId, result } = await world.sync({ pageSize: 10 });
  expect(store?.fired).toHaveLength(4);
  expect(result).toMatchObject({ status: "completed", rows: { created: 25 } });
  expect(await feedOf(world, "a")).toHaveLength(25);
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", created: 25 });
  expect(await versionsOf(world, "transaction_changes")).toHaveLength(1);
  // Pages that were staged beside the one that could not be are not asked for again; the file has another name.
  expect(syncCalls(world, "a")).toHaveLength(4);
  const files = (await world.store.list("transaction_changes/")).filter(({ key }) =>
    key.endsWith(".parquet"),
  );
  expect(files).toHaveLength(2);
  await expectLakeEqualsTruth(world);
});

test("a full resync whose link_syncs row could not be written: repeated, it finds its commit and infers nothing more", async () => {
  const key = "^link_syncs/_delta_log/0{19}1\\.json$";
  const fault = { on: "putIfAbsent", key, when: "before", effect: "lost" } as const;
  const world = await worlds.open({ store: (store) => withFaults(store, [fault, { ...fault }]) });
  addLink(world, "a", 12);
  await world.sync();
  world.sandbox.removeLink("a");
  addLink(world, "a", 8);
  world.sandbox.refuseCursors("a");
  const { runId, result } = await world.sync();
  expect(result.rows).toMatchObject({ created: 8, removed: 4 });
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", created: 8, removed: 4 });
  expect(await feedOf(world, "a")).toHaveLength(24);
  await expectLakeEqualsTruth(world);
});

test("commits to any table whose answers were lost are not repeated", async () => {
  const rows = {
    ...{ quarantine: 1, link_syncs: 1, runs: 1, transactions: 3 },
    ...{ accounts: 1, bank_links: 1, accounts_current: 1 },
  };
  const lost = new Set<string>();
  const world = await worlds.open({
    store: (store) => ({
      ...store,
      async putIfAbsent(key, body) {
        const isDone = await store.putIfAbsent(key, body);
        const [table = "", log] = key.split("/");
        if (log !== "_delta_log" || !(table in rows) || lost.has(table)) return isDone;
        lost.add(table);
        throw new Error("the store's answer was lost");
      },
    }),
  });
  world.sandbox.addLink({ fp_id: "fp_1", id: "a", accounts: [{ id: "acc_1" }] });
  addRows(world.sandbox, "a", 3);
  world.sandbox.append("a", [{ change: "created", raw: '{"transaction_id":""}', id: "bad" }]);
  const { result } = await world.sync();
  expect(result.rows).toMatchObject({ created: 3, quarantined: 1 });
  expect([...lost].sort()).toEqual(Object.keys(rows).sort());
  for (const [table, n] of Object.entries(rows)) {
    expect((await world.rows(`select count(*) as n from ${table}`))[0]?.n, table).toBe(n);
  }
});

test("a staged page found torn at load begins the link's update again", async () => {
  let torn = 0;
  const world = await worlds.open({
    store: (store) => ({
      ...store,
      grow: async (key) => {
        const object = await store.grow(key);
        const isSecondPage = (parts: readonly Uint8Array[]) => /"owner":"a",.*"page":1,/.test(`${parts[0]}`);
        return {
          ...object,
          append: ([head = Buffer.alloc(0), body = Buffer.alloc(0), ...rest]) => {
            if (torn > 0 || !isSecondPage([Buffer.from(head)])) return object.append([head, body, ...rest]);
            torn += 1;
            return object.append([head, Buffer.alloc(body.length), ...rest]);
          },
        };
      },
    }),
  });
  addLink(world, "a", 25);
  const { runId } = await world.sync({ pageSize: 10 });
  expect(torn).toBe(1);
  expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", restarts: 1, pages: 3 });
  expect(syncCalls(world, "a")).toHaveLength(6);
  await expectLakeEqualsTruth(world);
});

test("two starts of one job at once: one run, and both wait for it", async () => {
  const world = await worlds.open();
  addLink(world, "a", 25);
  const release = world.sandbox.hold();
  const started = await Promise.all([world.start(), world.start(), world.start()]);
  release();
  expect(new Set(started.map(({ runId }) => runId)).size).toBe(1);
  expect(started.filter(({ joined }) => !joined)).toHaveLength(1);
  await Promise.all(started.map(({ handle }) => handle.result()));
  expect((await world.rows("select count(*) as n from runs"))[0]?.n).toBe(1);
  expect(syncCalls(world, "a")).toHaveLength(1);
  expect(await world.store.list("_staging/")).toEqual([]);
  await expectLakeEqualsTruth(world);
});

test("two different jobs over one link at once: one commits it, the other is superseded, nothing is doubled", async () => {
  const world = await worlds.open();
  addLink(world, "a", 25);
  addLink(world, "b", 25);
  // Both know their links and have requested the first page of each before either continues.
  const release = world.sandbox.hold({ operation: "sync_transactions" });
  const asked = world.sandbox.waitForRequests(4, { operation: "sync_transactions" });
  const ends = Promise.all([world.sync({ pageSize: 10 }), world.sync({ streams: ["transactions"] })]);
  await asked;
  release();
  const [one, two] = await ends;
  const rows = await world.rows(
    "select link_id, status, reason, run_id from link_syncs order by link_id, status",
  );
  for (const link of ["a", "b"]) {
    const statuses = rows
      .filter(({ link_id }) => link_id === link)
      .map(({ status, reason }) => [status, reason]);
    const winner = rows.find(({ link_id, status }) => link_id === link && status === "synced");
    expect(statuses).toEqual([
      ["superseded", winner?.run_id],
      ["synced", null],
    ]);
  }
  expect(one.result.rows.created + two.result.rows.created).toBe(50);
  expect(await feedOf(world, "a")).toHaveLength(25);
  expect(await feedOf(world, "b")).toHaveLength(25);
});

test("a cancelled run keeps what was committed, writes its row and leaves no more staging than its roster", async () => {
  const world = await worlds.open();
  addLink(world, "a", 5);
  await world.sync();
  addLink(world, "b", 5);
  world.sandbox.addFault({ kind: "hang", link: "b" });
  const { handle, runId } = await world.start();
  while (syncCalls(world, "b").length < 1) await world.sandbox.waitForRequests(1, { link: "b" });
  await handle.cancel();
  expect(await handle.result()).toMatchObject({ status: "cancelled" });
  expect(await world.rows(`select status from runs where run_id = '${runId}'`)).toEqual([
    { status: "cancelled" },
  ]);
  const kept = await world.store.folders("_staging/");
  expect(kept.filter((name) => name !== "scratch")).toEqual([leftOf(runId)]);
  expect(await liveIds(world, "a")).toHaveLength(5);
});

test("a run that can't commit ends with the reason; what it committed stays", async () => {
  let refuse = true;
  const world = await worlds.open({
    store: (store) => ({
      ...store,
      putIfAbsent: async (key, body) => {
        if (refuse && key.startsWith("link_syncs/")) throw new InputError("link_syncs can't be written");
        return store.putIfAbsent(key, body);
      },
    }),
  });
  addLink(world, "a", 5);
  const { result } = await world.sync();
  expect(result).toMatchObject({
    status: "completed_with_failures",
    links: { failed: 1 },
    failures: [
      { stream: "transactions", owner: "reading", reason: "InputError: link_syncs can't be written" },
    ],
  });
  expect(await liveIds(world, "a")).toHaveLength(5);
  refuse = false;
  const next = await world.sync();
  expect(next.result).toMatchObject({ status: "completed", links: { unchanged: 1 } });
});
