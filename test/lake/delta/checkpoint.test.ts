import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkpointActions } from "../../../src/lake/delta/checkpoint.js";
import { removeOf } from "../../../src/lake/delta/delta-actions.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { advance, NO_TABLE } from "../../../src/lake/delta/delta-snapshot.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { FEED, fakeAdd, openTestLake, PLAIN, type TestLake } from "../../helpers/lake/delta-lake.js";

let lake: TestLake;
beforeEach(async () => {
  lake = await openTestLake();
});
afterEach(() => lake.release());

const DAY_MS = 86_400_000;
const domain = (name: string, configuration: string) => ({
  domainMetadata: { domain: name, configuration, removed: false },
});

test("old tombstones and old transactions are left out, transactions without a time stay", () => {
  const now = 100 * DAY_MS;
  const state = advance(NO_TABLE, [
    {
      version: 0,
      actions: [
        ...creationOf(PLAIN, 1),
        { remove: removeOf(fakeAdd("old"), now - 8 * DAY_MS) },
        { remove: removeOf(fakeAdd("young"), now - 6 * DAY_MS) },
        { txn: { appId: "old", version: 1, lastUpdated: now - 31 * DAY_MS } },
        { txn: { appId: "young", version: 1, lastUpdated: now - 29 * DAY_MS } },
        { txn: { appId: "timeless", version: 1 } },
      ],
    },
  ]);
  const kept = [...checkpointActions(state, now)];
  expect(kept.flatMap((action) => ("remove" in action ? [action.remove.path] : []))).toEqual(["young"]);
  expect(kept.flatMap((action) => ("txn" in action ? [action.txn.appId] : []))).toEqual([
    "young",
    "timeless",
  ]);
});

test("a checkpoint follows every so many versions and is named by _last_checkpoint", async () => {
  const table = openTable(lake.store, "feed", lake.duckdb, { checkpointEvery: 3 });
  await table.create(FEED);
  for (let n = 1; n <= 7; n += 1) await table.commit(() => [domain("link", String(n))]);
  const keys = (await lake.store.list("feed/_delta_log/")).map((entry) =>
    entry.key.slice("feed/_delta_log/".length),
  );
  expect(keys.filter((key) => key.includes("checkpoint.parquet"))).toEqual([
    "00000000000000000003.checkpoint.parquet",
    "00000000000000000006.checkpoint.parquet",
  ]);
  const hint = JSON.parse(String(await lake.store.get("feed/_delta_log/_last_checkpoint")));
  expect(hint).toMatchObject({ version: 6, size: 3, numOfAddFiles: 0 });
});

describe("a commit stands", () => {
  test("when its checkpoint can't be written, and the failure is told", async () => {
    const failures: unknown[] = [];
    const store = { ...lake.store, upload: () => Promise.reject(new Error("no room")) };
    const table = openTable(store, "feed", lake.duckdb, {
      checkpointEvery: 1,
      onCheckpointFailed: (error) => failures.push(error),
    });
    await table.create(FEED);
    expect((await table.commit(() => [domain("link", "x")]))?.version).toBe(1);
    expect(failures).toMatchObject([{ message: "no room" }]);
    expect((await openTable(lake.store, "feed", lake.duckdb).snapshot()).version).toBe(1);
  });

  test.each([
    ["is torn", "{not json"],
    ["names a checkpoint that is gone", '{"version":5,"size":1}'],
  ])("when _last_checkpoint %s", async (_, hint) => {
    const table = openTable(lake.store, "feed", lake.duckdb);
    await table.create(FEED);
    await table.commit(() => [domain("link", "x")]);
    await lake.store.put("feed/_delta_log/_last_checkpoint", hint);
    const read = await openTable(lake.store, "feed", lake.duckdb).snapshot();
    expect([read.version, read.domains.get("link")]).toEqual([1, "x"]);
  });
});

test("100,000 domains are read back from a checkpoint as they were written", async () => {
  const table = openTable(lake.store, "feed", lake.duckdb);
  const configuration = JSON.stringify({
    cursor: "c".repeat(60),
    head: "h".repeat(64),
    run_id: "r".repeat(40),
  });
  const domains = Array.from({ length: 100_000 }, (_, n) => domain(`link-${n}`, configuration));
  await table.commit(() => [...creationOf(FEED, 1), ...domains]);
  const timed = async <T>(name: string, work: () => Promise<T>) => {
    const start = performance.now();
    const result = await work();
    timings[name] = Math.round(performance.now() - start);
    return result;
  };
  const timings: Record<string, number> = {};
  const open = () => openTable(lake.store, "feed", lake.duckdb);
  const replayed = await timed("replay ms", () => open().snapshot());
  await timed("checkpoint ms", () => table.checkpoint(replayed));
  await timed("commit ms", () => table.commit(() => [domain("link-7", "changed")]));
  await timed("snapshot ms", () => table.snapshot());
  const read = await timed("from checkpoint ms", () => open().snapshot());
  expect(read.domains.size).toBe(100_000);
  expect(read.domains.get("link-99999")).toBe(configuration);
  expect(read.domains.get("link-7")).toBe("changed");
  process.stdout.write(`100,000 domains: ${JSON.stringify(timings)}\n`);
});
