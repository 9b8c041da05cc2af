import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pageKey, pageSha256, Staging } from "../../src/lake/staging.js";
import { freezeRoster, frozenUsers, GROUP_SIZE } from "../../src/lake/sync/frozen-roster.js";
import { openTestLake, type TestLake } from "../helpers/lake/delta-lake.js";

let lake: TestLake;
let staging: Staging;
beforeEach(async () => {
  lake = await openTestLake();
  staging = new Staging(lake.store);
});
afterEach(() => lake.release());

const name = { runId: "run", stream: "transactions", owner: "../../etc/passwd", attempt: 2, page: 7 };

test("a page's name has run, stream, a hash of the owner, attempt and page; ids never become path parts", () => {
  expect(pageKey(name)).toMatch(/^_staging\/run\/transactions\/[0-9a-f]{32}\/2-7\.json$/);
  expect(pageKey({ ...name, owner: "other" })).not.toBe(pageKey(name));
});

test("a page comes back byte for byte, with its file's time", async () => {
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
  await staging.putPage(name, body);
  const { mtime } = await stat(join(lake.directory, pageKey(name)));
  expect(await staging.page(name)).toEqual({ body, fetchedAt: mtime });
  expect(await staging.page({ ...name, page: 8 })).toBeUndefined();
});

test("a page has its clean page and bad rows where it had some, bound to its bytes", async () => {
  const [body, other] = [Buffer.from("whole"), Buffer.from("another answer")];
  await staging.putPage(name, body);
  expect(await staging.cleanPage(name, pageSha256(body))).toBeUndefined();
  expect(await staging.badRows(name, pageSha256(body))).toEqual([]);
  const bad = [{ list: "created", index: 3, reason: "blank", payload: '{"a" : 1e5}' }];
  await staging.putCleanPage(name, pageSha256(body), { clean: "clean page", bad });
  expect(await staging.cleanPage(name, pageSha256(body))).toEqual(Buffer.from("clean page"));
  expect(await staging.badRows(name, pageSha256(body))).toEqual(bad);
  expect(await staging.cleanPage(name, pageSha256(other))).toBeUndefined();
  expect(await staging.badRows(name, pageSha256(other))).toEqual([]);
});

test("dropping an owner leaves the others, dropping a run leaves other runs", async () => {
  const other = { ...name, owner: "b" };
  const elsewhere = { ...name, runId: "run-2" };
  for (const one of [name, other, elsewhere]) await staging.putPage(one, Buffer.from("x"));
  await staging.dropOwner("run", "transactions", name.owner);
  expect(await staging.page(name)).toBeUndefined();
  expect(await staging.page(other)).toBeDefined();
  await staging.dropRun("run");
  expect(await staging.page(other)).toBeUndefined();
  expect(await staging.page(elsewhere)).toBeDefined();
});

test("a document that is gone says so, and what to do", async () => {
  await staging.putDocument("run", "g0/plan", { links: [1] });
  expect(await staging.document("run", "g0/plan")).toEqual({ links: [1] });
  await expect(staging.document("run", "g1/plan")).rejects.toThrow(/gone .* start the job again/);
});

test("a frozen roster comes back group by group, and without it nothing is guessed", async () => {
  const rows = Array.from({ length: GROUP_SIZE + 1 }, (_, n) => ({
    fp_id: `u${String(n).padStart(4, "0")}`,
  }));
  await freezeRoster(lake.store, "run", rows);
  expect(await frozenUsers(lake.store, "run", 0)).toEqual(rows.slice(0, GROUP_SIZE));
  expect(await frozenUsers(lake.store, "run", 1)).toEqual(rows.slice(GROUP_SIZE));
  await expect(frozenUsers(lake.store, "run", 2)).rejects.toThrow(/start the job again/);
});
