import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../../helpers/command/command-here.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
/** Runs `version` where neither the PATH nor the cache has a CLI, unless it is given one. */
const version = (env: Record<string, string> = {}, ...flags: string[]) =>
  runHere(
    { directory: temp.path, env: { PATH: temp.path, HOME: temp.path, TEMPORAL_CLI_PATH: "", ...env } },
    ["version", ...flags],
  );

async function cliThatSays(words: string): Promise<string> {
  const path = join(temp.path, "temporal");
  await writeFile(path, `#!/bin/sh\necho '${words}'\n`);
  await chmod(path, 0o755);
  return path;
}

test("names the CLI that is here, and the server in it", async () => {
  const path = await cliThatSays("temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)");
  const { temporal } = JSON.parse((await version({}, "--json")).stdout);
  expect(temporal.cli).toEqual({ path, version: "1.5.1", server: "1.29.1" });
});

test("where there is no CLI it says so, and installs none", async () => {
  expect((await version()).stdout).toMatch(/^temporal {4}SDK \d+\.\d+\.\d+\n {12}no CLI on this machine/m);
});

test("a TEMPORAL_CLI_PATH that is wrong is said, and hides no other version", async () => {
  const { stdout, stderr } = await version({ TEMPORAL_CLI_PATH: "/nowhere/temporal" }, "--json");
  const { node, temporal } = JSON.parse(stdout);
  expect({ node, cli: temporal.cli }).toEqual({ node: process.versions.node, cli: null });
  expect(stderr).toMatch(/^TEMPORAL_CLI_PATH: \/nowhere\/temporal is not there/);
  expect(stderr).not.toContain("started");
});
