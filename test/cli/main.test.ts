import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runHere } from "../helpers/command/command-here.js";
import { eachTest, tempDirectory } from "../helpers/each-test.js";

const temp = eachTest(tempDirectory);
beforeEach(async () => {
  await mkdir(join(temp.path, "lake", "_nightledger"), { recursive: true });
});

const run = (...words: readonly string[]) =>
  runHere({ directory: temp.path, env: { NIGHTLEDGER_LAKE: "lake" } }, words);

test("a command under another one needs no flag of it, which alone still does", async () => {
  expect((await run("import", "verify")).code).toBe(0);
  expect((await run("import")).code).toBe(2);
  expect(JSON.parse((await run("import", "--json")).stdout).error.message).toContain("--transactions");
});
