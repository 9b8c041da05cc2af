import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyLake, endCopy } from "../../../src/lake/copy/copy-lake.js";
import type { TakenFolder } from "../../../src/lake/copy/lake-parts.js";
import { bindAs, ensureBinding, readBinding } from "../../../src/lake/service-binding.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";

const BINDING = { id: "1f", lake: "a-lake", url: "https://api.example.com", mode: "test" as const };
const COMMIT = "_delta_log/00000000000000000000.json";
const FILE = "part-3f9c2a10-1c1c-4a5b-8f00-0a1b2c3d4e5f.parquet";
const LARGE = "x".repeat(1024 * 1024 + 1);

let base: string;
let from: ObjectStore;
let to: ObjectStore;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "nightledger-copy-test-"));
  [from, to] = [createLocalStore(join(base, "from")), createLocalStore(join(base, "to"))];
  await bindAs(from, BINDING);
  for (const table of ["accounts", "transaction_changes", "runs", "transactions"]) {
    await from.put(`${table}/${COMMIT}`, `commit of ${table}`);
    await from.put(`${table}/${FILE}`, LARGE);
  }
  await from.put("runs/_delta_log/_last_checkpoint", "hint");
  await from.put("_nightledger/canary.json", "canary");
  await from.put("_staging/open/row", "a row that waits");
  await from.put("_staging/scratch/engine/file", "scratch");
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function copied(source = from): Promise<TakenFolder[]> {
  const told: TakenFolder[] = [];
  const binding = await copyLake(source, to, (one) => told.push(one));
  await endCopy(source, to, binding);
  return told;
}

test("everything but scratch is copied, the tables that mention others first, and the copy is the same lake", async () => {
  const folders = await copied();
  const names = folders.map(({ folder }) => folder);
  expect(names).toEqual(["_staging", "runs", "transactions", "transaction_changes", "accounts"]);
  const keys = async (store: ObjectStore) => (await store.list("")).map(({ key }) => key);
  const wanted = (await keys(from)).filter((key) => !key.startsWith("_staging/scratch/"));
  expect(await keys(to)).toEqual(wanted);
  for (const key of wanted) expect(String(await to.get(key))).toBe(String(await from.get(key)));
  expect(await readBinding(to)).toEqual(BINDING);
});

test("a copy that was cut short is no lake, and is continued", async () => {
  await expect(
    copyLake(from, to, ({ folder }) => {
      if (folder === "transactions") throw new Error("killed");
    }),
  ).rejects.toThrow("killed");
  expect(await readBinding(to)).toBeUndefined();
  await expect(ensureBinding(to, BINDING)).rejects.toThrow(/is no lake yet.*Nothing was started/);
  expect((await copied()).map(({ kept }) => kept)).toEqual([0, 1, 1, 0, 0]);
});

test("a continued copy keeps nothing that the lake has erased since, and takes a commit of the same size again", async () => {
  await expect(
    copyLake(from, to, ({ folder }) => {
      if (folder === "transactions") throw new Error("killed");
    }),
  ).rejects.toThrow("killed");
  await from.delete(`transactions/${FILE}`);
  await from.delete("_staging/open/row");
  await from.put(`transactions/${COMMIT}`, "Commit of transactions");
  await copied();
  expect((await to.list("transactions/")).map(({ key }) => key)).toEqual([`transactions/${COMMIT}`]);
  expect(await to.list("_staging/")).toEqual([]);
  expect(String(await to.get(`transactions/${COMMIT}`))).toBe("Commit of transactions");
});

test("a place with anything else in it is refused, and stays as it is", async () => {
  await to.put("transactions/part.parquet", "others");
  await expect(copied()).rejects.toMatchObject({
    name: "InputError",
    message: expect.stringMatching(/is not empty/),
  });
  await to.delete("transactions/part.parquet");
  await to.put("_nightledger/copy.json", JSON.stringify({ lake: "another" }));
  await expect(copied()).rejects.toThrow(/has a part of another lake/);
  await bindAs(to, { ...BINDING, lake: "another" });
  await expect(copied()).rejects.toThrow(/is a lake already/);
  expect((await to.list("")).map(({ key }) => key)).toEqual([
    "README.txt",
    "_nightledger/copy.json",
    "_nightledger/service.json",
  ]);
});

test("what was no lake is not copied", async () => {
  await from.delete("_nightledger/service.json");
  await expect(copied()).rejects.toThrow(/is no lake/);
});

test("a table whose log was cleaned up between its listing and its copy is listed again", async () => {
  let listed = 0;
  const cleaned: ObjectStore = {
    ...from,
    async list(prefix, after) {
      const found = await from.list(prefix, after);
      if (prefix !== "runs/_delta_log/") return found;
      listed += 1;
      // Deleted by a clean-up, after it was listed.
      const [first] = found;
      return listed === 1 && first
        ? [{ ...first, key: `runs/_delta_log/0000000000000000000${"9"}.json` }]
        : found;
    },
  };
  await copied(cleaned);
  expect(listed).toBe(2);
  expect(String(await to.get(`runs/${COMMIT}`))).toBe("commit of runs");
});
