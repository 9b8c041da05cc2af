import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkWritable } from "../../../../src/lake/store/local/local-store-directories.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-writable-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test.each(["", "new", "new/deeper"])("a directory that is or can be made: '%s'", async (path) => {
  await expect(checkWritable("--out", join(directory, path))).resolves.toBeUndefined();
});

test("a link to a directory is one", async () => {
  await mkdir(join(directory, "real"));
  await symlink(join(directory, "real"), join(directory, "link"));
  await expect(checkWritable("--out", join(directory, "link", "new"))).resolves.toBeUndefined();
});

test.each([
  ["file", "is not a directory"],
  ["file/deeper", "is not a directory"],
  ["lost", "is a link to nothing"],
  ["lost/deeper", "is a link to nothing"],
])("nothing can be made at %s: it %s", async (path, why) => {
  await writeFile(join(directory, "file"), "");
  await symlink(join(directory, "away"), join(directory, "lost"));
  await expect(checkWritable("--out", join(directory, path))).rejects.toMatchObject({
    name: "InputError",
    message: expect.stringMatching(new RegExp(`^--out: .* ${why}\\. Accepted: a writable directory\\.$`)),
  });
});

// As root, /proc is writable by its permissions; macOS has none, and there its parent is not writable.
test("a place where no directory can be made is refused, and none is left where one can", async () => {
  await expect(checkWritable("--out", "/proc/lake")).rejects.toThrow(
    /^--out: .* Accepted: a writable directory\.$/,
  );
  await checkWritable("--out", join(directory, "new"));
  expect(await readdir(directory)).not.toContainEqual(expect.stringMatching(/^\.nightledger-/));
});
