import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeltaAction } from "../../../src/lake/delta/delta-actions.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { createLocalStore } from "../../../src/lake/store/local-store.js";
import { STRIKES, strikeAt } from "../../helpers/kill/struck-store.js";
import { counting, domainAction, EAGER } from "../../helpers/lake/counted-actions.js";
import { expectWholeLog, makeOldTable, readCounted } from "../../helpers/lake/counted-table.js";
import { FEED, openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";
import { runDeltaChild } from "../../helpers/lake/delta-process.js";
import { logNames } from "../../helpers/lake/log-entries.js";

let lake: TestLake;
beforeAll(async () => {
  lake = await openTestLake();
});
afterAll(() => lake.release());

test("a log keeps two checkpoints, the commits after the older one, and the state", async () => {
  const table = openTable(lake.store, "kept", lake.duckdb, EAGER);
  for (let version = 0; version < 12; version += 1) await table.commit(counting);
  const kept = ["10.checkpoint.parquet", "10.json", "11.checkpoint.parquet", "11.json", "_last_checkpoint"];
  expect(await logNames(lake.store, "kept")).toEqual(kept);
  expect(await readCounted(lake, "kept")).toBe(11);
  expect(await table.changesBetween(9, 11)).toEqual([]);
  expect(await table.changesBetween(8, 11)).toBeUndefined();
});

test("the log of an older release shrinks at its first checkpoint", async () => {
  await makeOldTable(lake, "old", 40);
  expect((await logNames(lake.store, "old")).length).toBe(61);
  await openTable(lake.store, "old", lake.duckdb, EAGER).commit(counting);
  expect(await logNames(lake.store, "old")).toEqual([
    "38.checkpoint.parquet",
    "38.json",
    "39.json",
    "40.checkpoint.parquet",
    "40.json",
    "_last_checkpoint",
  ]);
  expect(await readCounted(lake, "old")).toBe(40);
});

test.each([
  { "delta.logRetentionDuration": "interval 30 days" },
  { "delta.enableExpiredLogCleanup": "false" },
])("a log stays whole where the table's owner says %o", async (configuration) => {
  const name = `owned-${Object.keys(configuration)[0]}`;
  const table = openTable(lake.store, name, lake.duckdb, EAGER);
  await table.commit(() =>
    creationOf(FEED, 1).map(
      (action): DeltaAction =>
        "metaData" in action ? { metaData: { ...action.metaData, configuration } } : action,
    ),
  );
  for (let version = 1; version < 6; version += 1)
    await table.commit(() => [domainAction("a", `${version}`)]);
  expect(await logNames(lake.store, name)).toHaveLength(12);
});

test.each(STRIKES)("a log is whole, and its table right, whatever step is %s", async (strike) => {
  if ((await logNames(lake.store, "struck")).length === 0) await makeOldTable(lake, "struck", 7);
  const isKilled = strike.startsWith("killed");
  let nth = 1;
  for (; ; nth += 1) {
    const copy = join(lake.directory, "..", `${strike}-${nth}`);
    await cp(join(lake.directory, "struck"), join(copy, "struck"), { recursive: true });
    const store = createLocalStore(copy);
    const struck = strikeAt(store, nth, strike);
    const table = openTable(struck, "struck", lake.duckdb, EAGER);
    const stands = await table.commit(counting).then(
      () => true,
      () => false,
    );
    if (!struck.struck()) break;
    const version = await readCounted(lake, "struck", store);
    if (stands) expect(version).toBe(7);
    else expect([6, 7]).toContain(version);
    await expectWholeLog(store, "struck");
    const next = isKilled ? openTable(store, "struck", lake.duckdb, EAGER) : table;
    await next.commit(counting);
    const other = openTable(store, "struck", lake.duckdb, EAGER);
    for (let more = 0; more < 2; more += 1) await other.commit(counting);
    expect(await readCounted(lake, "struck", store)).toBe(version + 3);
    await expectWholeLog(store, "struck");
    expect(await logNames(store, "struck")).toHaveLength(5);
  }
  expect(nth).toBeGreaterThan(20);
});

test.each([
  ["the checkpoint is written", { on: "upload", key: "7.checkpoint.parquet$" }],
  ["the checkpoint is named", { on: "put", key: "_last_checkpoint$" }],
  ["the first file is deleted", { on: "delete", key: "0000.json$" }],
  ["a checkpoint is deleted", { on: "delete", key: "2.checkpoint.parquet$" }],
  ["the last file is deleted", { on: "delete", key: "5.json$" }],
] as const)("a process that is killed when %s leaves a whole log", async (_, at) => {
  for (const when of ["before", "after"] as const) {
    const table = `killed-${when}-${at.on}-${at.key.slice(0, 4)}`;
    await makeOldTable(lake, table, 7);
    const fault = JSON.stringify({ ...at, when, effect: "kill" });
    const scratch = join(lake.duckdb.scratchDirectory, "killed");
    await expect(runDeltaChild(["clean", lake.directory, scratch, table, fault])).rejects.toMatchObject({
      signal: "SIGKILL",
    });
    expect(await readCounted(lake, table)).toBe(7);
    await expectWholeLog(lake.store, table);
    const next = openTable(lake.store, table, lake.duckdb, EAGER);
    for (let more = 0; more < 2; more += 1) await next.commit(counting);
    expect(await logNames(lake.store, table)).toHaveLength(5);
    expect(await readCounted(lake, table)).toBe(9);
  }
});
