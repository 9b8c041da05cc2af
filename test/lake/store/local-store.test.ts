import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLocalStore } from "../../../src/lake/store/local-store.js";
import { unlinkable, unpublished } from "../../../src/lake/store/local-store-errors.js";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";

let lake: TestLake;
beforeEach(async () => {
  lake = await openTestLake();
});
afterEach(() => lake.release());

const systemError = (code: string) => Object.assign(new Error(`${code}: refused`), { code });

test("nothing is made on disk before the first write", async () => {
  expect(await lake.store.get("a/b")).toBeUndefined();
  expect(await lake.store.stat("a/b")).toBeUndefined();
  expect(await lake.store.list("a/")).toEqual([]);
  await expect(stat(lake.directory)).rejects.toThrow("ENOENT");
});

test("put replaces, putIfAbsent never does", async () => {
  await lake.store.put("a/key", "one");
  await lake.store.put("a/key", "two");
  expect(await lake.store.putIfAbsent("a/key", "three")).toBe(false);
  expect(String(await lake.store.get("a/key"))).toBe("two");
  expect(await lake.store.putIfAbsent("b/new/key", "first")).toBe(true);
  expect(String(await lake.store.get("b/new/key"))).toBe("first");
});

test.each([0, 1, 256 * 1024, 256 * 1024 + 1, 1024 * 1024])(
  "an object of %i bytes is read whole",
  async (size) => {
    const body = Buffer.alloc(size, "night");
    await lake.store.put("a/key", body, { durable: true });
    expect((await lake.store.get("a/key"))?.equals(body)).toBe(true);
  },
);

test("of many writers of one key exactly one wins, and its content stays", async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, writer) => lake.store.putIfAbsent("log/1", String(writer))),
  );
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(String(await lake.store.get("log/1"))).toBe(String(answers.indexOf(true)));
  expect(await readdir(join(lake.directory, "log"))).toEqual(["1"]);
});

test("a listing is in key order, starts after a key, and leaves temp files out", async () => {
  for (const key of ["t/b", "t/a/2", "t/a/1", "t/c", "u/x"]) await lake.store.put(key, key);
  await writeFile(join(lake.directory, "t", ".tmp-1-killed"), "half");
  const keys = async (prefix: string, after?: string) =>
    (await lake.store.list(prefix, after)).map((entry) => entry.key);
  expect(await keys("t/")).toEqual(["t/a/1", "t/a/2", "t/b", "t/c"]);
  expect(await keys("t/", "t/a/1")).toEqual(["t/a/2", "t/b", "t/c"]);
  expect(await keys("t/", "t/b")).toEqual(["t/c"]);
  expect(await keys("")).toEqual(["t/a/1", "t/a/2", "t/b", "t/c", "u/x"]);
  expect((await lake.store.list("u/"))[0]).toMatchObject({ key: "u/x", size: 3 });
});

test("delete and deletePrefix take away what is there and are content with what is not", async () => {
  for (const key of ["s/1", "s/d/2", "keep/3"]) await lake.store.put(key, "");
  await lake.store.delete("s/1");
  await lake.store.delete("s/1");
  await lake.store.deletePrefix("s/");
  await lake.store.deletePrefix("s/");
  await lake.store.deletePrefix("s/e/", { durable: true });
  expect((await lake.store.list("")).map((entry) => entry.key)).toEqual(["keep/3"]);
});

test("uploadAll publishes a file under a new key, never over another one", async () => {
  const local = join(lake.directory, "..", "file");
  const upload = () => lake.store.uploadAll([{ localPath: local, key: "t/file.parquet" }]);
  await writeFile(local, "rows");
  await upload();
  await expect(stat(local)).rejects.toThrow("ENOENT");
  expect(await readFile(await lake.store.download("t/file.parquet", "/nowhere"), "utf8")).toBe("rows");
  await writeFile(local, "others");
  await expect(upload()).rejects.toThrow("never overwritten");
  expect(String(await lake.store.get("t/file.parquet"))).toBe("rows");
});

test("uploadAll publishes every file, or none of them where one key is taken", async () => {
  const files = Array.from({ length: 9 }, (_, n) => ({
    localPath: join(lake.directory, "..", `file-${n}`),
    key: `t/${n}.parquet`,
  }));
  const write = () => Promise.all(files.map(({ localPath, key }) => writeFile(localPath, key)));
  await write();
  await lake.store.put("t/6.parquet", "first");
  await expect(lake.store.uploadAll(files)).rejects.toThrow("t/6.parquet is there already");
  expect(await readdir(join(lake.directory, "t"))).toEqual(["6.parquet"]);
  expect(String(await lake.store.get("t/6.parquet"))).toBe("first");
  await lake.store.delete("t/6.parquet");
  await lake.store.uploadAll(files);
  for (const { localPath, key } of files) {
    expect(String(await lake.store.get(key))).toBe(key);
    await expect(stat(localPath)).rejects.toThrow("ENOENT");
  }
});

test("uploadAll of nothing makes nothing, and a key that could leave the root is refused", async () => {
  await lake.store.uploadAll([]);
  await expect(stat(lake.directory)).rejects.toThrow("ENOENT");
  const outside = { localPath: "/nowhere", key: "../x" };
  await expect(lake.store.uploadAll([outside])).rejects.toMatchObject({ name: "InputError" });
});

test.each(["../x", "/etc/x", "a/../../x", "a//b", "", ".", "a/.tmp-1-x", "a\\b", "a\0b"])(
  "the key %j is refused because it could leave the root",
  async (key) => {
    await expect(lake.store.put(key, "x")).rejects.toMatchObject({ name: "InputError" });
    await expect(lake.store.get(key)).rejects.toMatchObject({ name: "InputError" });
  },
);

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
