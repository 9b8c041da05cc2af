import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { isPackPath, PackFiles } from "../../../../src/lake/bulk/pack/pack-files.js";
import { fileSha256 } from "../../../../src/lake/store/local/local-store-files.js";
import { eachTest, tempDirectory } from "../../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
let files: PackFiles;
beforeEach(async () => {
  files = new PackFiles(temp.path);
});

test("a file that was written in pieces has the hash, the bytes and the rows that are said of it", async () => {
  const text = "ä€🥐".repeat(200_000);
  const written = await files.write("b/pieces.csv", async (out) => {
    for (let at = 0; at < text.length; at += 4_000) await out(text.slice(at, at + 4_000));
    return 7;
  });
  const bytes = await readFile(join(temp.path, "b/pieces.csv"));
  expect(bytes.toString("utf8")).toBe(text);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(written).toEqual({ path: "b/pieces.csv", sha256, bytes: bytes.length, rows: 7 });
  expect(await fileSha256(join(temp.path, "b/pieces.csv"))).toBe(sha256);
});

test("files come in the order of their paths, those of others among them; none is written twice", async () => {
  await files.write("z.html", async () => undefined);
  await writeFile(await files.place("a.pdf"), "pdf");
  await files.add("a.pdf", null);
  expect(files.files.map(({ path, bytes, rows }) => [path, bytes, rows])).toEqual([
    ["a.pdf", 3, null],
    ["z.html", 0, null],
  ]);
  await expect(files.write("z.html", async () => undefined)).rejects.toThrow("EEXIST");
});

test.each(["../a", "/a", "a/../b", "a//b", ".", "", "a\\b", "a\nb", "a/"])(
  "%j is not a path of a pack",
  async (path) => {
    expect(isPackPath(path)).toBe(false);
    await expect(files.place(path)).rejects.toThrow("is not the path of a file of a pack");
  },
);
