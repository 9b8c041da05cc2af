import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSnapshot, restoreSnapshot } from "../../../src/lake/copy/restore-snapshot.js";
import { objectKey, type Snapshot, snapshotKeys } from "../../../src/lake/copy/snapshot.js";
import { takeSnapshot } from "../../../src/lake/copy/take-snapshot.js";
import { bindAs, RESTORED_KEY, readBinding } from "../../../src/lake/service-binding.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";

const BINDING = { id: "1f", lake: "a-lake", url: "https://api.example.com", mode: "test" as const };
const FILE = "runs/part-3f2a1b4c-0000-4000-8000-000000000001.parquet";

let base: string;
let place: ObjectStore;
let to: ObjectStore;
let snapshot: Snapshot;
let files: string[];
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "nightledger-restore-test-"));
  const lake = createLocalStore(join(base, "lake"));
  [place, to] = [createLocalStore(join(base, "snapshots")), createLocalStore(join(base, "restored"))];
  await bindAs(lake, BINDING);
  await lake.put("runs/_delta_log/00000000000000000000.json", "a commit");
  await lake.put(FILE, "rows ".repeat(300_000));
  await lake.put("_staging/run/calls/one/intent-1", "an intent");
  await lake.put("_nightledger/canary.json", "canary");
  files = (await lake.list("")).map(({ key }) => key);
  await takeSnapshot(lake, place, () => undefined);
  snapshot = await findSnapshot(place, undefined);
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** The path of what the snapshot has of a file. */
const pathOf = (key: string) => join(place.address, objectKey(snapshot.files[key]?.sha256 ?? ""));

test("what is restored is the lake that it was", async () => {
  await restoreSnapshot(place, snapshot, to);
  const keys = (await to.list("")).map(({ key }) => key);
  expect(keys.filter((key) => key !== RESTORED_KEY)).toEqual(files);
  expect(await readBinding(to)).toEqual(BINDING);
  await expect(restoreSnapshot(place, snapshot, to)).rejects.toThrow(/is a lake already/);
});

test.each([
  [
    "has another byte",
    (bytes: Buffer) => bytes.fill("!", 700_000, 700_001),
    /has 1500000 bytes, sha256 [0-9a-f]{64}/,
  ],
  ["is shorter", (bytes: Buffer) => bytes.subarray(0, 1_200_000), /has 1200000 bytes/],
  ["is missing", () => undefined, /is missing/],
] as const)(
  "a file that %s is named, nothing is bound, and the same command continues",
  async (_, damage, what) => {
    const path = pathOf(FILE);
    const before = await readFile(path);
    const after = damage(Buffer.from(before));
    await (after === undefined ? rm(path) : writeFile(path, after));
    const failed = restoreSnapshot(place, snapshot, to);
    await expect(failed).rejects.toMatchObject({
      name: "InputError",
      message: expect.stringContaining(FILE),
    });
    await expect(failed).rejects.toThrow(what);
    expect(await readBinding(to)).toBeUndefined();
    await writeFile(path, before);
    await restoreSnapshot(place, snapshot, to);
    expect(await readBinding(to)).toEqual(BINDING);
    expect((await to.get(FILE))?.equals(before)).toBe(true);
  },
);

test("what an attempt that was cut short has left is checked too", async () => {
  const canary = pathOf("_nightledger/canary.json");
  const body = await readFile(canary);
  await rm(canary);
  await expect(restoreSnapshot(place, snapshot, to)).rejects.toThrow(/is missing/);
  await writeFile(canary, body);
  await to.put(FILE, "wrong".repeat(300_000));
  await restoreSnapshot(place, snapshot, to);
  expect((await to.get(FILE))?.equals(await readFile(pathOf(FILE)))).toBe(true);
});

test("a snapshot is proved without being restored", async () => {
  const look = () => restoreSnapshot(place, snapshot, to, true);
  await look();
  const body = await readFile(pathOf(FILE));
  await writeFile(pathOf(FILE), Buffer.from(body).fill("!", 700_000, 700_001));
  await expect(look()).rejects.toThrow(FILE);
  expect(await to.list("")).toEqual([]);
});

test("a part of another snapshot of the same lake is not continued", async () => {
  await rm(pathOf(FILE));
  await expect(restoreSnapshot(place, snapshot, to)).rejects.toThrow(/is missing/);
  const other = { ...snapshot, root: `sha256:${"0".repeat(64)}` };
  await expect(restoreSnapshot(place, other, to)).rejects.toThrow(
    `has a part of the snapshot ${snapshot.root}`,
  );
});

test("a root finds its snapshot; a manifest that was changed is refused and never found", async () => {
  expect((await findSnapshot(place, snapshot.root)).instant).toBe(snapshot.instant);
  await expect(findSnapshot(place, `sha256:${"0".repeat(64)}`)).rejects.toThrow(/no snapshot with the root/);
  const [key = ""] = await snapshotKeys(place);
  const text = String(await place.get(key));
  await place.put(key, text.replace('"runs":0', '"runs":1'));
  await expect(findSnapshot(place, undefined)).rejects.toThrow(/its root does not fit/);
  await expect(findSnapshot(place, snapshot.root)).rejects.toThrow(/no snapshot with the root/);
});
