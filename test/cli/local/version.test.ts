import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runVersion } from "../../../src/cli/local/version.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
let said: { result: string; words: string[] };

beforeEach(async () => {
  said = { result: "", words: [] };
});

/** Runs `version` where neither the PATH nor the cache has a CLI, unless it is given one. */
async function version(json: boolean, env: Record<string, string> = {}) {
  const terminal = {
    env: { PATH: temp.path, HOME: temp.path, ...env },
    cwd: temp.path,
    interactive: false,
    result: (text: string) => {
      said.result += text;
    },
    say: (line: string) => void said.words.push(line),
  };
  await runVersion(terminal, { json });
  return said.result;
}

async function cliThatSays(words: string): Promise<string> {
  const path = join(temp.path, "temporal");
  await writeFile(path, `#!/bin/sh\necho '${words}'\n`);
  await chmod(path, 0o755);
  return path;
}

test("names the CLI that is here, and the server in it", async () => {
  const path = await cliThatSays("temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)");
  const { temporal } = JSON.parse(await version(true));
  expect(temporal.cli).toEqual({ path, version: "1.5.1", server: "1.29.1" });
});

test("where there is no CLI it says so, and installs none", async () => {
  expect(await version(false)).toMatch(/^temporal {4}SDK \d+\.\d+\.\d+\n {12}no CLI on this machine/m);
});

test("a TEMPORAL_CLI_PATH that is wrong is said, and hides no other version", async () => {
  const { node, temporal } = JSON.parse(await version(true, { TEMPORAL_CLI_PATH: "/nowhere/temporal" }));
  expect({ node, cli: temporal.cli }).toEqual({ node: process.versions.node, cli: null });
  expect(said.words.join()).toMatch(/^TEMPORAL_CLI_PATH: \/nowhere\/temporal is not there/);
  expect(said.words.join()).not.toContain("started");
});
