import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { uploadedBytes } from "../../../src/intake/files/uploaded-file.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);

async function textOf(path: string): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of uploadedBytes(path)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test("the bytes of a file", async () => {
  const path = join(temp.path, "file");
  const text = "x".repeat(200_000);
  await writeFile(path, text);
  expect(await textOf(path)).toBe(text);
});

test("a file that has become a pipe has no bytes, and nobody waits for them", async () => {
  const path = join(temp.path, "pipe");
  await promisify(execFile)("mkfifo", [path]);
  expect(await textOf(path)).toBe("");
});
