import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { uploadedBytes } from "../../../src/intake/files/uploaded-file.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-upload-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function textOf(path: string): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of uploadedBytes(path)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test("the bytes of a file", async () => {
  const path = join(directory, "file");
  const text = "x".repeat(200_000);
  await writeFile(path, text);
  expect(await textOf(path)).toBe(text);
});

test("a file that has become a pipe has no bytes, and nobody waits for them", async () => {
  const path = join(directory, "pipe");
  await promisify(execFile)("mkfifo", [path]);
  expect(await textOf(path)).toBe("");
});
