import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import { schemaActions, type TableSpec } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import { lastUpkeep } from "../../../src/lake/maintain/last-upkeep.js";
import { maintain } from "../../../src/lake/maintain/maintain.js";
import { StoreFullError } from "../../../src/lake/store/local/local-store-errors.js";
import { addOf, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { runs } from "../../../src/lake/tables/runs.js";
import { webhookEvents } from "../../../src/lake/tables/webhook-events.js";
import { eachTest } from "../../helpers/each-test.js";
import { withFaults } from "../../helpers/kill/fault-store.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

const ago = (days: number) => new Date(Date.now() - days * DAY);
const runId = (day: number) => `sync-2026010${day}T020000Z-3f9c2a`;

/** Appends a row as so many days ago. */
async function append(spec: TableSpec, days: number, row: object, properties = {}): Promise<void> {
  const files = await writeRows(lake, spec, "test", [row as Record<string, unknown>]);
  const times = { modificationTime: ago(days).getTime() };
  await lake.table(spec.name).commit((snapshot) => [
    ...schemaActions(spec, snapshot, 0).map((action) =>
      "metaData" in action
        ? {
            metaData: {
              ...action.metaData,
              configuration: { ...action.metaData.configuration, ...properties },
            },
          }
        : action,
    ),
    ...files.map((file) => ({ add: { ...addOf(file), ...times } })),
  ]);
  for (const { path } of files)
    await utimes(
      join(base.directory, spec.name, path),
      times.modificationTime / 1_000,
      times.modificationTime / 1_000,
    );
}

const ranOn = (n: number, days: number, heard = true) => {
  const finished_at = ago(days).toISOString();
  return append(runs, days, { run_id: runId(n), finished_at, ...(heard && { service_time: finished_at }) });
};
const event = (n: number) => ({ message_id: `msg_${n}`, received_at: ago(n).toISOString() });
const upkeep = (dryRun = false) => maintain(lake, [runs, webhookEvents], { retainDays: 7, dryRun });
const staged = () => readdir(join(base.directory, "_staging"));

/** A lake that was written on each of the last ten days, and whose service said yesterday what day it was. */
async function tenDays(): Promise<void> {
  await ranOn(1, 9);
  await ranOn(2, 1);
  for (let days = 9; days >= 0; days -= 1) await append(webhookEvents, days, event(days));
}

test("of the staging, what belongs to a run goes once its row is old; everything else stays", async () => {
  await tenDays();
  const kept = [runId(2), runId(3), `${runId(1)}-failed`, "calls", "import-0123", "follow-ups"];
  for (const folder of [runId(1), ...kept]) await lake.store.put(`_staging/${folder}/x/y`, "staged");
  await writeFile(join(base.directory, "_staging/calls/back\\slash"), "no key");
  const { staging, unknown } = await upkeep(true);
  expect(staging).toEqual({ kept: { files: 6, bytes: 36 }, freed: { files: 1, bytes: 6 } });
  expect(unknown).toEqual({ files: 1, bytes: 6 });
  expect(await staged()).toContain(runId(1));
  await upkeep();
  expect((await staged()).filter((name) => name !== "scratch").sort()).toEqual(kept.sort());
});

// No command saw them, with rows of people in them.
test("files of killed writers go after a day", async () => {
  await ranOn(1, 0);
  const files = ["old", "young"].map((name) => join(base.directory, runs.name, `.tmp-1-${name}`));
  for (const file of files) await writeFile(file, "half");
  await utimes(files[0] as string, ago(2), ago(2));
  const left = async () => {
    const names = await readdir(join(base.directory, runs.name));
    return names.filter((name) => name.startsWith(".tmp-")).length;
  };
  for (const expected of [2, 1]) {
    await upkeep(expected === 2);
    expect(await left()).toBe(expected);
  }
});

test("a lake that has heard no time from its service keeps everything, however old its files are", async () => {
  await ranOn(1, 400, false);
  await append(webhookEvents, 390, event(390));
  await lake.store.put(`_staging/${runId(1)}/x`, "staged");
  const report = await upkeep();
  expect(report).toMatchObject({ old_before: null, staging: { freed: { files: 0 } } });
  expect(await staged()).toContain(runId(1));
});

test("what was done is on record; a dry run leaves none", async () => {
  await tenDays();
  const said = await upkeep(true);
  expect(await lastUpkeep(lake.store)).toBeUndefined();
  const { started_at, live, merged } = await upkeep();
  expect(said.merged).toEqual(merged);
  expect(merged).toEqual({ before: 12, after: 2 });
  expect(await lastUpkeep(lake.store)).toMatchObject({ started_at, live, retain_days: 7 });
});

test("a table is left alone whose removed files its owner wants to keep, and the others are maintained", async () => {
  const properties = { "delta.deletedFileRetentionDuration": "interval 60 days" };
  for (const n of [1, 2]) await append(webhookEvents, n, event(n), properties);
  for (const n of [1, 2]) await ranOn(n, n);
  const told: (readonly [string, boolean])[] = [];
  const report = await maintain(lake, [runs, webhookEvents], {
    retainDays: 7,
    onTable: (table, left) => void told.push([table, left !== undefined]),
  });
  expect(report.left_alone).toEqual([
    { table: "webhook_events", why: expect.stringMatching(/deletedFileRetentionDuration/), by_owner: true },
  ]);
  expect(told).toEqual([
    ["webhook_events", true],
    ["runs", false],
  ]);
  expect((await lake.table("webhook_events").snapshot()).files.size).toBe(2);
  expect((await lake.table("runs").snapshot()).files.size).toBe(1);
});

test("on a full disk nothing is merged, what is old goes all the same, and then it says so", async () => {
  await tenDays();
  await lake.store.put(`_staging/${runId(1)}/x`, "staged");
  const [orphan] = await writeRows(lake, webhookEvents, "killed", [event(9)]);
  const path = join(base.directory, webhookEvents.name, String(orphan?.path));
  await utimes(path, ago(9), ago(9));
  const store = withFaults(lake.store, [
    { on: "upload", key: ".", when: "before", effect: "full", nth: 0 },
    { on: "putIfAbsent", key: ".", when: "before", effect: "full", nth: 0 },
    { on: "put", key: ".", when: "before", effect: "full", nth: 0 },
  ]);
  const full = openLake({ directory: base.directory, store });
  await expect(maintain(full, [runs, webhookEvents], { retainDays: 7 })).rejects.toThrow(StoreFullError);
  await full.close();
  expect(await readdir(join(base.directory, webhookEvents.name))).not.toContain(orphan?.path);
  expect(await staged()).not.toContain(runId(1));
  expect((await lake.table(webhookEvents.name).snapshot()).files.size).toBe(10);
});
