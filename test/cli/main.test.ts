import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runHere } from "../helpers/command/command-here.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-main-"));
  await mkdir(join(directory, "lake", "_nightledger"), { recursive: true });
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const run = (...words: readonly string[]) => runHere({ directory, env: { NIGHTLEDGER_LAKE: "lake" } }, words);

test("a command under another one needs no flag of it, which alone still does", async () => {
  expect((await run("import", "verify")).code).toBe(0);
  expect((await run("import")).code).toBe(2);
  expect(JSON.parse((await run("import", "--json")).stdout).error.message).toContain("--transactions");
});
