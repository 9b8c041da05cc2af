import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { checkpointActions } from "../../../src/lake/delta/checkpoint.js";
import { type DeltaAction, removeOf } from "../../../src/lake/delta/delta-actions.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { advance, NO_TABLE } from "../../../src/lake/delta/delta-snapshot.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { eachTest } from "../../helpers/each-test.js";
import { createTable, FEED, fakeAdd, openTestLake, PLAIN } from "../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);

const DAY_MS = 86_400_000;
const domain = (name: string, configuration: string) => ({
  domainMetadata: { domain: name, configuration, removed: false },
});

/** What a checkpoint keeps at a version, of a table with a tombstone and a transaction at each of these times. */
function keptOf(version: number, times: readonly { readonly day: number; readonly version?: number }[]) {
  const actions = times.flatMap(({ day, version = 1 }): DeltaAction[] => [
    { remove: removeOf(fakeAdd(`${day}`), day * DAY_MS + 5) },
    { txn: { appId: `${day}`, version, lastUpdated: day * DAY_MS + 5 } },
  ]);
  const timeless: DeltaAction = { txn: { appId: "timeless", version: 1 } };
  const state = advance(NO_TABLE, [{ version, actions: [...creationOf(PLAIN, 1), ...actions, timeless] }]);
  const kept = [...checkpointActions(state)];
  return {
    tombstones: kept.flatMap((action) => ("remove" in action ? [Number(action.remove.path)] : [])),
    txns: kept.flatMap((action) => ("txn" in action ? [action.txn.appId] : [])),
  };
}

const nights = (count: number) => Array.from({ length: count }, (_, day) => ({ day: 100 + day }));

test("old tombstones and old transactions are left out, transactions without a time stay", () => {
  const { tombstones, txns } = keptOf(10_000, nights(40));
  expect(tombstones).toEqual([133, 134, 135, 136, 137, 138, 139]);
  expect(txns).toEqual([
    ...nights(40)
      .slice(10)
      .map(({ day }) => `${day}`),
    "timeless",
  ]);
});

test("a clock that jumps a month, or a year, drops no transaction and no tombstone", () => {
  for (const jump of [31, 365]) {
    const { tombstones, txns } = keptOf(10_000, [...nights(3), { day: 102 + jump }]);
    expect(tombstones).toEqual([100, 101, 102, 102 + jump]);
    expect(txns).toEqual(["100", "101", "102", `${102 + jump}`, "timeless"]);
  }
});

test("a transaction of a machine whose clock is months behind the others' stays for thousands of versions", () => {
  const behind = { day: 1, version: 9_000 };
  expect(keptOf(9_010, [behind, ...nights(40)]).txns).toContain("1");
  expect(keptOf(14_000, [behind, ...nights(40)]).txns).not.toContain("1");
});

test("a checkpoint follows so many versions and is named by _last_checkpoint", async () => {
  const table = openTable(lake.store, "feed", lake.duckdb, { checkpointFloorBytes: 3 * 64_000 });
  await createTable(table, FEED);
  for (let n = 1; n <= 7; n += 1) await table.commit(() => [domain("link", String(n))]);
  const keys = (await lake.store.list("feed/_delta_log/")).map((entry) =>
    entry.key.slice("feed/_delta_log/".length),
  );
  expect(keys.filter((key) => key.includes("checkpoint.parquet"))).toEqual([
    "00000000000000000002.checkpoint.parquet",
    "00000000000000000005.checkpoint.parquet",
  ]);
  const hint = JSON.parse(String(await lake.store.get("feed/_delta_log/_last_checkpoint")));
  expect(hint).toMatchObject({ version: 5, size: 3, numOfAddFiles: 0 });
});

describe("a commit stays", () => {
  test("when its checkpoint can't be written, and the failure is told", async () => {
    const failures: unknown[] = [];
    const store = { ...lake.store, uploadAll: () => Promise.reject(new Error("no room")) };
    const table = openTable(store, "feed", lake.duckdb, {
      checkpointFloorBytes: 0,
      onCheckpointFailed: (error) => failures.push(error),
    });
    await createTable(table, FEED);
    expect((await table.commit(() => [domain("link", "x")]))?.version).toBe(1);
    expect(failures).toMatchObject([{ message: "no room" }]);
    expect((await openTable(lake.store, "feed", lake.duckdb).snapshot()).version).toBe(1);
  });

  test.each([
    ["is torn", "{not json"],
    ["names a checkpoint that is gone", '{"version":5,"size":1}'],
  ])("when _last_checkpoint %s", async (_, hint) => {
    const table = openTable(lake.store, "feed", lake.duckdb);
    await createTable(table, FEED);
    await table.commit(() => [domain("link", "x")]);
    await lake.store.put("feed/_delta_log/_last_checkpoint", hint);
    const read = await openTable(lake.store, "feed", lake.duckdb).snapshot();
    expect([read.version, read.domains.get("link")]).toEqual([1, "x"]);
  });
});

test("100,000 domains are read back from a checkpoint as they were written", async () => {
  const table = openTable(lake.store, "feed", lake.duckdb);
  // As long as a link's state, and no two alike: what SQL can neither share nor make smaller.
  const configurations = Array.from({ length: 100_000 }, () => randomBytes(400).toString("hex"));
  const domains = configurations.map((configuration, n) => domain(`link-${n}`, configuration));
  await table.commit(() => [...creationOf(FEED, 1), ...domains]);
  const open = () => openTable(lake.store, "feed", lake.duckdb);
  await table.checkpoint(await open().snapshot());
  await table.commit(() => [domain("link-7", "changed")]);
  const read = await open().snapshot();
  expect(read.domains.size).toBe(100_000);
  expect(read.domains.get("link-99999")).toBe(configurations.at(-1));
  expect(read.domains.get("link-7")).toBe("changed");
});
