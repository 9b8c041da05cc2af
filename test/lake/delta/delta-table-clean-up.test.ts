import { expect, test } from "vitest";
import type { DeltaAction } from "../../../src/lake/delta/delta-actions.js";
import { changesAfter } from "../../../src/lake/delta/delta-log.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { eachFile } from "../../helpers/each-test.js";
import { forgetful } from "../../helpers/kill/forgetful-store.js";
import { FEED, openTestLake } from "../../helpers/lake/delta-lake.js";
import { KILLS, killCleaning, strikeEachStep } from "../../helpers/lake/log/clean-up-strikes.js";
import { counting, domainAction, EAGER } from "../../helpers/lake/log/counted-actions.js";
import { makeOldTable, readCounted } from "../../helpers/lake/log/counted-table.js";
import { logNames } from "../../helpers/lake/log/log-entries.js";

const lake = eachFile(openTestLake);

test("a log keeps two checkpoints, the commits after the older one, and the state", async () => {
  const table = openTable(lake.store, "kept", lake.duckdb, EAGER);
  for (let version = 0; version < 12; version += 1) await table.commit(counting);
  const kept = ["10.checkpoint.parquet", "10.json", "11.checkpoint.parquet", "11.json", "_last_checkpoint"];
  expect(await logNames(lake.store, "kept")).toEqual(kept);
  expect(await readCounted(lake, "kept")).toBe(11);
  const changes = async (version: number) =>
    changesAfter({ ...lake, table: "kept" }, version, await table.snapshot());
  expect(await changes(9)).toEqual([]);
  expect(await changes(8)).toBeUndefined();
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

test.each(["refused", "killed after"] as const)(
  "a log is whole, and its table right, whatever step is %s",
  async (strike) => {
    expect(await strikeEachStep(lake, strike)).toBeGreaterThan(20);
  },
);

test.each([KILLS[1]!, KILLS[2]!])("a process that is killed when %s leaves a whole log", (_, at) =>
  killCleaning(lake, at, "after"),
);

test.each([
  ["the checkpoint is written", { on: "upload", key: "checkpoint.parquet$" }],
  ["the checkpoint is named", { on: "put", key: "_last_checkpoint$" }],
  ["some files are deleted", { on: "delete", key: "3.json$" }],
  ["all files are deleted", { on: "delete", key: "5.json$" }],
] as const)("a power cut when %s leaves a log that is read and cleaned up", async (_, cut) => {
  const table = `power-${cut.on}-${cut.key.slice(0, 1)}`;
  await makeOldTable(lake, table, 7);
  const store = forgetful(lake.store, [{ ...cut, when: "after" }]);
  await openTable(store, table, lake.duckdb, EAGER).commit(counting);
  await store.dark;
  expect(await readCounted(lake, table)).toBe(7);
  const next = openTable(lake.store, table, lake.duckdb, EAGER);
  for (let more = 0; more < 2; more += 1) await next.commit(counting);
  expect(await logNames(lake.store, table)).toHaveLength(5);
  expect(await readCounted(lake, table)).toBe(9);
});
