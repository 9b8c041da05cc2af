import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkWritable } from "../../../../src/lake/store/local/local-store-directories.js";
import { eachTest, tempDirectory } from "../../../helpers/each-test.js";

const temp = eachTest(tempDirectory);

test.each(["", "new", "new/deeper"])("a directory that is or can be made: '%s'", async (path) => {
  await expect(checkWritable("--out", join(temp.path, path))).resolves.toBeUndefined();
});

test("a link to a directory is one", async () => {
  await mkdir(join(temp.path, "real"));
  await symlink(join(temp.path, "real"), join(temp.path, "link"));
  await expect(checkWritable("--out", join(temp.path, "link", "new"))).resolves.toBeUndefined();
});

test.each([
  ["file", "is not a directory"],
  ["file/deeper", "is not a directory"],
  ["lost", "is a link to nothing"],
  ["lost/deeper", "is a link to nothing"],
])("nothing can be made at %s: it %s", async (path, why) => {
  await writeFile(join(temp.path, "file"), "");
  await symlink(join(temp.path, "away"), join(temp.path, "lost"));
  await expect(checkWritable("--out", join(temp.path, path))).rejects.toMatchObject({
    name: "InputError",
    message: expect.stringMatching(new RegExp(`^--out: .* ${why}\\. Accepted: a writable directory\\.$`)),
  });
});

// As root, /proc is writable by its permissions; macOS has none, and there its parent is not writable.
test("a place where no directory can be made is refused, and none is left where one can", async () => {
  await expect(checkWritable("--out", "/proc/lake")).rejects.toThrow(
    /^--out: .* Accepted: a writable directory\.$/,
  );
  await checkWritable("--out", join(temp.path, "new"));
  expect(await readdir(temp.path)).not.toContainEqual(expect.stringMatching(/^\.nightledger-/));
});
