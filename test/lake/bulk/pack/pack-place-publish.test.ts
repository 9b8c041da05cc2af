import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InputError } from "../../../../src/domain/failures.js";
import { isThere, publishPack } from "../../../../src/lake/bulk/pack/pack-place.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "nightledger-publish-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function finished(name: string, text: string): Promise<string> {
  const directory = join(root, name);
  await mkdir(join(directory, "report"), { recursive: true });
  await writeFile(join(directory, "a.csv"), text);
  await writeFile(join(directory, "report", "b.html"), text);
  return directory;
}

test("a pack appears as a whole, and its files can't be written to any more", async () => {
  const from = await finished("writing", "one");
  const target = join(root, "lake", "_exports", "cip", "x");
  await publishPack(from, target);
  expect(await isThere(from)).toBe(false);
  expect(await isThere(target)).toBe(true);
  expect((await readdir(target)).sort()).toEqual(["a.csv", "report"]);
  for (const path of ["a.csv", "report/b.html"]) {
    expect((await lstat(join(target, path))).mode & 0o777).toBe(0o440);
  }
});

test("what is there is never overwritten, and the finished pack stays", async () => {
  const target = join(root, "packs", "x");
  await publishPack(await finished("one", "one"), target);
  const second = await finished("two", "two");
  await expect(publishPack(second, target)).rejects.toThrow(InputError);
  await expect(publishPack(second, target)).rejects.toThrow(
    "already exists, and an export is never overwritten",
  );
  expect(await readFile(join(target, "a.csv"), "utf8")).toBe("one");
  expect(await readFile(join(second, "a.csv"), "utf8")).toBe("two");
});
