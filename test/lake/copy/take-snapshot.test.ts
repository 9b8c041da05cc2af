import { mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyLake } from "../../../src/lake/copy/copy-lake.js";
import { restoreSnapshot } from "../../../src/lake/copy/restore-snapshot.js";
import { keepNewest, objectKey, readSnapshot, snapshotKeys } from "../../../src/lake/copy/snapshot.js";
import { takeSnapshot } from "../../../src/lake/copy/take-snapshot.js";
import { bindAs, ensureBinding, readBinding } from "../../../src/lake/service-binding.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";

const BINDING = { id: "1f", lake: "a-lake", url: "https://api.example.com", mode: "test" as const };
const PART = "part-3f2a1b4c-0000-4000-8000-00000000000";
const commit = (version: number) => `_delta_log/${String(version).padStart(20, "0")}.json`;
const LARGE = "x".repeat(1024 * 1024 + 1);

let base: string;
let from: ObjectStore;
let to: ObjectStore;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "nightledger-snapshot-test-"));
  [from, to] = [createLocalStore(join(base, "lake")), createLocalStore(join(base, "snapshots"))];
  await bindAs(from, BINDING);
  for (const table of ["runs", "transactions"]) {
    await from.put(`${table}/${commit(0)}`, `commit of ${table}`);
    await from.put(`${table}/${PART}1.parquet`, `${table} ${LARGE}`);
  }
  await from.put("runs/_delta_log/_last_checkpoint", "hint");
  await from.put("_nightledger/canary.json", "canary");
  await from.put("_staging/run/calls/one/intent-1", "an intent");
  await from.put("_staging/sync-1/journals/1/aa", "pages");
  await from.put("_staging/sync-1-failed/file", "users to retry");
  await from.put("_exports/cip/pack/manifest.json", "a pack");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const snapshot = (source = from, place = to) => takeSnapshot(source, place, () => undefined);

/** The store, and what was read of it and written to it. */
function counted(store: ObjectStore) {
  const seen = { read: [] as string[], written: [] as string[] };
  const watched: ObjectStore = {
    ...store,
    get(key) {
      seen.read.push(key);
      return store.get(key);
    },
    download(key) {
      seen.read.push(key);
      return store.download(key);
    },
    put(key, ...rest) {
      seen.written.push(key);
      return store.put(key, ...rest);
    },
    uploadAll(files) {
      seen.written.push(...files.map(({ key }) => key));
      return store.uploadAll(files);
    },
  };
  return { seen, watched };
}

test("a snapshot has everything of the lake but journals, and no job takes its place for a lake", async () => {
  const taken = await snapshot();
  expect(Object.keys(taken.files).sort()).toEqual([
    "_exports/cip/pack/manifest.json",
    "_nightledger/canary.json",
    "_staging/run/calls/one/intent-1",
    "_staging/sync-1-failed/file",
    `runs/${commit(0)}`,
    "runs/_delta_log/_last_checkpoint",
    `runs/${PART}1.parquet`,
    `transactions/${commit(0)}`,
    `transactions/${PART}1.parquet`,
  ]);
  expect(taken).toMatchObject({ binding: BINDING, tables: { runs: 0, transactions: 0 } });
  const [key = ""] = await snapshotKeys(to);
  expect(await readSnapshot(to, key)).toMatchObject({ root: taken.root, files: taken.files });
  expect(await readBinding(to)).toBeUndefined();
  await expect(ensureBinding(to, BINDING)).rejects.toThrow(/keeps snapshots. Nothing was started/);
  await expect(copyLake(from, to, () => undefined)).rejects.toThrow(/has a part of snapshots/);
});

test("a second snapshot reads no data file again, and writes only what is new", async () => {
  const first = await snapshot();
  await from.put(`runs/${commit(1)}`, "another commit");
  await from.put(`runs/${PART}2.parquet`, "more");
  const [lake, place] = [counted(from), counted(to)];
  const second = await snapshot(lake.watched, place.watched);
  expect(lake.seen.read.filter((key) => key.includes(PART))).toEqual([`runs/${PART}2.parquet`]);
  expect(place.seen.written.filter((key) => key.startsWith("objects/"))).toHaveLength(2);
  expect(second.tables).toEqual({ runs: 1, transactions: 0 });
  expect(second.root).not.toBe(first.root);
  const looked = await takeSnapshot(from, to, () => undefined, true);
  expect(looked).toMatchObject({ root: null, amount: { objects: 11, kept: 3 } });
  expect(await snapshotKeys(to)).toHaveLength(2);
});

test("a commit of another future of the same lake is another file, although it has the same name and size", async () => {
  await from.put(`runs/${commit(1)}`, "one future");
  const one = await snapshot();
  await from.put(`runs/${commit(1)}`, "two future");
  const two = await snapshot();
  const restored = createLocalStore(join(base, "restored"));
  await restoreSnapshot(to, { ...one, root: String(one.root) }, restored);
  expect(String(await restored.get(`runs/${commit(1)}`))).toBe("one future");
  expect(two.files[`runs/${commit(1)}`]?.sha256).not.toBe(one.files[`runs/${commit(1)}`]?.sha256);
});

test("a snapshot that was cut short is none, and the next one writes nothing twice", async () => {
  const failing: ObjectStore = { ...to, putIfAbsent: () => Promise.reject(new Error("killed")) };
  await expect(snapshot(from, failing)).rejects.toThrow("killed");
  expect(await snapshotKeys(to)).toEqual([]);
  const place = counted(to);
  await snapshot(from, place.watched);
  expect(place.seen.written.filter((key) => key.startsWith("objects/"))).toEqual([]);
  expect(await snapshotKeys(to)).toHaveLength(1);
});

test("a call whose record is replaced while it is copied is in the snapshot as it became", async () => {
  const gone = "_staging/run/calls/one/intent-1";
  const moving: ObjectStore = {
    ...from,
    async get(key) {
      if (key === gone) {
        await from.put("_staging/run/calls/one/intent-2", "a later intent");
        await from.put("_staging/run/calls/two/intent-1", "of a call that began after the snapshot");
        await from.delete(gone);
      }
      return from.get(key);
    },
  };
  const { files } = await snapshot(moving);
  expect(Object.keys(files).filter((key) => key.startsWith("_staging/run/calls/"))).toEqual([
    "_staging/run/calls/one/intent-2",
  ]);
});

test("no plan is in a snapshot without the answers that were made by it", async () => {
  await from.put("_staging/import-1/plans/0", "a plan");
  await from.put("_staging/import-1/items/0/0/import/answer", "an answer");
  let reads = 0;
  const ending: ObjectStore = {
    ...from,
    async get(key) {
      // The run ends meanwhile, which deletes its plans first.
      if (key.startsWith("_staging/import-1/")) {
        reads += 1;
        if (reads === 1) await from.deletePrefix("_staging/import-1/");
      }
      return from.get(key);
    },
  };
  const { files } = await snapshot(ending);
  expect(reads).toBeGreaterThan(1);
  expect(Object.keys(files).filter((key) => key.includes("/import-1/"))).toEqual([]);
});

test("old snapshots go, with the files that none names; files of today stay for a snapshot that is under way", async () => {
  await from.put("_nightledger/canary.json", "the first");
  const first = await snapshot();
  await from.put("_nightledger/canary.json", "the second");
  const second = await snapshot();
  const keyIn = ({ files }: typeof first) => objectKey(files["_nightledger/canary.json"]?.sha256 ?? "");
  expect(await keepNewest(to, 2)).toBe(0);
  expect(await keepNewest(to, 1)).toBe(1);
  expect(await snapshotKeys(to)).toHaveLength(1);
  expect(await to.stat(keyIn(first))).toBeDefined();
  const old = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  for (const { key } of await to.list("objects/")) await utimes(join(to.address, key), old, old);
  await keepNewest(to, 1);
  expect(await to.stat(keyIn(first))).toBeUndefined();
  expect(await to.stat(keyIn(second))).toBeDefined();
});

test("what the staging area closes to others stays closed in a snapshot", async () => {
  await from.put("_staging/run/calls/one/large", LARGE);
  const { files } = await snapshot();
  for (const key of ["_staging/run/calls/one/intent-1", "_staging/run/calls/one/large"]) {
    const path = join(to.address, objectKey(files[key]?.sha256 ?? ""));
    expect([(await stat(path)).mode & 0o077, (await stat(join(path, "..", ".."))).mode & 0o077]).toEqual([
      0, 0,
    ]);
  }
});

test("places that lie in each other are refused", async () => {
  const inside = createLocalStore(join(from.address, "snapshots"));
  await expect(snapshot(from, inside)).rejects.toThrow(/are in each other. Nothing was copied/);
});
