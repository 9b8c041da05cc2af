import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../../../src/domain/failures.js";
import { isThere, publishPack } from "../../../../src/lake/bulk/pack/pack-place.js";
import { eachTest, tempDirectory } from "../../../helpers/each-test.js";

const temp = eachTest(tempDirectory);

async function finished(name: string, text: string): Promise<string> {
  const directory = join(temp.path, name);
  await mkdir(join(directory, "report"), { recursive: true });
  await writeFile(join(directory, "a.csv"), text);
  await writeFile(join(directory, "report", "b.html"), text);
  return directory;
}

test("a pack appears as a whole, and its files can't be written to any more", async () => {
  const from = await finished("writing", "one");
  const target = join(temp.path, "lake", "_exports", "cip", "x");
  await publishPack(from, target);
  expect(await isThere(from)).toBe(false);
  expect(await isThere(target)).toBe(true);
  expect((await readdir(target)).sort()).toEqual(["a.csv", "report"]);
  for (const path of ["a.csv", "report/b.html"]) {
    expect((await lstat(join(target, path))).mode & 0o777).toBe(0o440);
  }
});

test("what is there is never overwritten, and the finished pack stays", async () => {
  const target = join(temp.path, "packs", "x");
  await publishPack(await finished("one", "one"), target);
  const second = await finished("two", "two");
  await expect(publishPack(second, target)).rejects.toThrow(InputError);
  await expect(publishPack(second, target)).rejects.toThrow(
    "already exists, and an export is never overwritten",
  );
  expect(await readFile(join(target, "a.csv"), "utf8")).toBe("one");
  expect(await readFile(join(second, "a.csv"), "utf8")).toBe("two");
});
