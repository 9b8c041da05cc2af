import { beforeEach, expect, test } from "vitest";
import { Staging } from "../../src/lake/staging.js";
import {
  freezeRoster,
  frozenGroup,
  GROUP_SIZE,
  usersInRoster,
  wholeRoster,
} from "../../src/lake/sync/frozen-roster.js";
import { Journal, readRecord } from "../../src/lake/sync/journal/journal.js";
import { eachTest } from "../helpers/each-test.js";
import { openTestLake } from "../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);
let staging: Staging;
beforeEach(async () => {
  staging = new Staging(lake.store);
});

test("dropping a run leaves other runs, whatever they staged", async () => {
  const places = new Map<string, Awaited<ReturnType<Journal["addValue"]>>>();
  for (const runId of ["run", "run-2"]) {
    const journal = new Journal(lake.store, runId, "0");
    places.set(runId, await journal.addValue("link", { link_id: "a" }));
    await journal.close();
    await staging.putDocument(runId, "load-1", { files: [] });
  }
  await staging.dropRun("run");
  const [gone, kept] = [...places.values()];
  if (gone === undefined || kept === undefined) throw new Error("two runs have staged");
  expect(await readRecord(lake.store, "run", gone)).toBeUndefined();
  expect((await readRecord(lake.store, "run-2", kept))?.body.toString()).toBe('{"link_id":"a"}');
  expect((await lake.store.list("_staging/")).map(({ key }) => key.split("/")[1])).toEqual([
    "run-2",
    "run-2",
  ]);
});

test("a document is kept where it was staged until it is read", async () => {
  const value = { files: [1] };
  await staging.putDocument("run", "load-1", value);
  expect(await staging.document("run", "load-1")).toBe(value);
  expect(await staging.document("run", "load-1")).not.toBe(value);
  expect(await new Staging(lake.store).document("run", "load-1")).toEqual(value);
});

test("a document that is gone says so, and what to do", async () => {
  await staging.putDocument("run", "load-1", { files: [1] });
  expect(await staging.document("run", "load-1")).toEqual({ files: [1] });
  await expect(staging.document("run", "load-2")).rejects.toThrow(/gone .* start the job again/);
});

const rows = Array.from({ length: GROUP_SIZE + 1 }, (_, n) => ({
  fp_id: `u${String(n).padStart(4, "0")}`,
}));
const group = (number: number) => frozenGroup(lake.store, "run", number);

test("a frozen roster comes back group by group, and without it nothing is guessed", async () => {
  await freezeRoster(lake.store, "run", rows);
  expect(await group(0)).toEqual(rows.slice(0, GROUP_SIZE));
  expect(await group(1)).toEqual(rows.slice(GROUP_SIZE));
  expect(await wholeRoster(lake.store, "run")).toEqual(rows);
  await expect(group(2)).rejects.toThrow(/start the job again/);
});

test("a worker reads a group of a frozen roster once", async () => {
  await freezeRoster(lake.store, "run", rows);
  expect(await Promise.all([group(0), group(0)])).toEqual([
    rows.slice(0, GROUP_SIZE),
    rows.slice(0, GROUP_SIZE),
  ]);
  await lake.store.deletePrefix("_staging/run/");
  expect(await group(0)).toEqual(rows.slice(0, GROUP_SIZE));
  await expect(group(1)).rejects.toThrow(/start the job again/);
});

test("of some users, those that a frozen roster names are found", async () => {
  await freezeRoster(lake.store, "run", rows);
  const asked = new Set(["u0000", `u${GROUP_SIZE}`, "nobody"]);
  expect(await usersInRoster(lake.store, "run", asked)).toEqual(new Set(["u0000", `u${GROUP_SIZE}`]));
  expect(await usersInRoster(lake.store, "gone", asked)).toEqual(new Set());
});
