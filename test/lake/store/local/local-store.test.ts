import { mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createLocalStore } from "../../../../src/lake/store/local/local-store.js";
import { unlinkable, unpublished } from "../../../../src/lake/store/local/local-store-errors.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);

const systemError = (code: string) => Object.assign(new Error(`${code}: refused`), { code });

test("nothing is made on disk before the first write", async () => {
  expect(await lake.store.get("a/b")).toBeUndefined();
  expect(await lake.store.stat("a/b")).toBeUndefined();
  expect(await lake.store.list("a/")).toEqual([]);
  await expect(stat(lake.directory)).rejects.toThrow("ENOENT");
});

test("a listing leaves out temp files, and names that are no keys, which have a listing of their own", async () => {
  await lake.store.put("t/b", "b");
  await mkdir(join(lake.directory, "new\\folder"));
  for (const name of ["t/.tmp-1-killed", "t/a\\b", "new\\folder/c"])
    await writeFile(join(lake.directory, name), "theirs");
  expect((await lake.store.list("")).map(({ key }) => key)).toEqual(["t/b"]);
  expect(await lake.store.folders("")).toEqual(["t"]);
  expect((await lake.store.strangers()).map(({ key }) => key)).toEqual(["new\\folder/c", "t/a\\b"]);
});

test("temp files go by their age alone", async () => {
  await lake.store.put("t/b", "b");
  await writeFile(join(lake.directory, "t", ".tmp-1-killed"), "half");
  await mkdir(join(lake.directory, "t", ".tmp-1-pack"));
  await writeFile(join(lake.directory, "t", ".tmp-1-pack", "population.csv"), "fp_x");
  const left = async () => (await readdir(join(lake.directory, "t"), { recursive: true })).length;
  await lake.store.discardTemporary("", Date.now() - 60_000);
  expect(await left()).toBe(4);
  await lake.store.discardTemporary("t/", Number.POSITIVE_INFINITY);
  // The directory stays, empty.
  expect(await left()).toBe(2);
  expect(String(await lake.store.get("t/b"))).toBe("b");
});

test("uploadAll of nothing makes nothing, and a key that could leave the root is refused", async () => {
  await lake.store.uploadAll([]);
  await expect(stat(lake.directory)).rejects.toThrow("ENOENT");
  const outside = { localPath: "/nowhere", key: "../x" };
  await expect(lake.store.uploadAll([outside])).rejects.toMatchObject({ name: "InputError" });
});

test("a lake has one address, whatever path led to it", async () => {
  await mkdir(lake.directory, { recursive: true });
  await symlink(lake.directory, `${lake.directory}-link`);
  expect(createLocalStore(`${lake.directory}-link/new`).address).toBe(
    createLocalStore(join(lake.directory, "new")).address,
  );
});

describe("a write that is refused", () => {
  test("on a full disk says so and may be tried again", () => {
    const error = unpublished(systemError("ENOSPC"), "/lake/x");
    expect(error).toMatchObject({ name: "TransientError", code: "ENOSPC" });
    expect(error.message).toMatch(/No space left.*Nothing was published.*make room/);
  });

  test.each(["EACCES", "EPERM", "EROFS"])("%s is wrong input", (code) => {
    expect(unpublished(systemError(code), "/lake/x")).toMatchObject({
      name: "InputError",
      message: expect.stringMatching(/\/lake\/x can't be written.*Nothing was published/),
    });
  });

  test.each(["EPERM", "ENOTSUP", "EXDEV", "ENOSYS"])("link() answering %s names the directory", (code) => {
    expect(unlinkable(systemError(code), "/lake")).toMatchObject({
      name: "InputError",
      message: expect.stringMatching(/\/lake refuses hard links.*Nothing was published/),
    });
  });
});
