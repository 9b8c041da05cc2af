import { mkdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { DurableDirectories } from "../../../../src/lake/store/local/local-store-directories.js";
import { eachTest, tempDirectory } from "../../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
let root: string;
let synced: string[];
let directories: DurableDirectories;
beforeEach(async () => {
  root = join(temp.path, "some", "lake");
  synced = [];
  directories = new DurableDirectories(root, async (path) => {
    synced.push(relative(temp.path, path));
  });
});

/** Directories whose names were synced by making one, each by its parent. */
async function made(directory: string): Promise<string[]> {
  synced.length = 0;
  await directories.make(join(root, directory), 0o750);
  return [...synced].sort();
}

test("every name on the way to a new directory is synced in its parent, once", async () => {
  expect(await made("a/b")).toEqual(["", "some", "some/lake", "some/lake/a"]);
  expect(await made("a/b")).toEqual([]);
  expect(await made("a/c")).toEqual(["some/lake/a"]);
});

test("a directory that something else made is synced all the same: its name may not be on the disk", async () => {
  await mkdir(join(root, "a/b"), { recursive: true });
  expect(await made("a/b")).toEqual(["some", "some/lake", "some/lake/a"]);
  await mkdir(join(root, "a/b/c/d"), { recursive: true });
  expect(await made("a/b/c/d")).toEqual(["some/lake/a/b", "some/lake/a/b/c"]);
});

test("a directory that was deleted and came back is synced again", async () => {
  await made("a/b");
  directories.forget(join(root, "a"));
  await rm(join(root, "a"), { recursive: true });
  await mkdir(join(root, "a/b"), { recursive: true });
  expect(await made("a/b")).toEqual(["some/lake", "some/lake/a"]);
});

test("a directory above the lake that can't be opened does not keep it from being written to", async () => {
  await mkdir(root, { recursive: true });
  const closed = new DurableDirectories(root, (path) =>
    path.startsWith(root)
      ? Promise.resolve()
      : Promise.reject(Object.assign(new Error(), { code: "EACCES" })),
  );
  await expect(closed.make(join(root, "a"), 0o750)).resolves.toBeUndefined();
});
