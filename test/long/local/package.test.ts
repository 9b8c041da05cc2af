import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { startNode } from "../../helpers/command/command-process.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";
import { ROOT, read, repositoryFiles } from "../../repository/source-tree.js";

const temp = eachFile(tempDirectory);
let installed: string;
let program: string;

const npm = (cwd: string, ...args: readonly string[]) =>
  execFileSync("npm", [...args, "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });

// Packs a copy: `prepack` removes `dist`, which other tests run from.
beforeAll(async () => {
  const checkout = join(temp.path, "checkout");
  installed = join(temp.path, "installed");
  await mkdir(installed);
  for (const path of repositoryFiles()) await cp(join(ROOT, path), join(checkout, path));
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  npm(checkout, "pack", "--pack-destination", temp.path);
  const [tarball = ""] = (await readdir(temp.path)).filter((name) => name.endsWith(".tgz"));
  npm(
    installed,
    "install",
    "--prefix",
    installed,
    "--omit=dev",
    "--prefer-offline",
    join(temp.path, tarball),
  );
  program = join(installed, "node_modules", ".bin", "nightledger");
});

test("the installed package names what it runs on", async () => {
  const { code, stdout } = await startNode(program, ["version", "--json"], { cwd: installed }).ended;
  expect(code).toBe(0);
  const { dependencies } = JSON.parse(read("package.json"));
  expect(JSON.parse(stdout)).toMatchObject({
    node: process.versions.node,
    duckdb: dependencies["@duckdb/node-api"].replace(/-.*/, ""),
    temporal: {
      sdk: dependencies["@temporalio/worker"],
      cli: { server: expect.stringMatching(/^\d+\.\d+/) },
    },
  });
});

test("the demo runs from the installed package, with the embedded server", async () => {
  const env = { NIGHTLEDGER_HOME: join(installed, "home") };
  const { code, stdout, stderr } = await startNode(program, ["demo"], { cwd: installed, env }).ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("nightledger-demo/lake: Delta tables");
  expect((await readdir(join(installed, "nightledger-demo"))).sort()).toContain("report.html");
});
