import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, read, repositoryFiles } from "./source-tree.js";

interface Instruction {
  readonly name: string;
  readonly value: string;
}

function instructions(text: string): Instruction[] {
  const joined = text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replace(/\\\n\s*/g, "");
  return joined
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const space = line.indexOf(" ");
      return { name: line.slice(0, space), value: line.slice(space + 1).trim() };
    });
}

const all = instructions(read("Dockerfile"));
const values = (name: string) => all.filter((one) => one.name === name).map(({ value }) => value);
const manifest: { engines: { node: string } } = JSON.parse(read("package.json"));

const copied = values("COPY")
  .filter((value) => !value.startsWith("--from="))
  .flatMap((value) => value.split(/\s+/).slice(0, -1))
  .map((path) => path.replace(/^\.\//, ""));

describe("Dockerfile", () => {
  it("both stages are a pinned Debian slim of a Node that package.json accepts", () => {
    const images = values("FROM").map((value) => value.split(" ")[0] ?? "");
    expect(images).toHaveLength(2);
    expect(new Set(images).size).toBe(1);
    const [, major, minor] = /^node:(\d+)\.(\d+)\.\d+-bookworm-slim$/.exec(images[0] ?? "") ?? [];
    const [, floorMajor, floorMinor] = />=(\d+)\.(\d+)/.exec(manifest.engines.node) ?? [];
    const at = (a?: string, b?: string) => Number(a) * 1_000 + Number(b);
    expect(at(major, minor)).toBeGreaterThanOrEqual(at(floorMajor, floorMinor));
  });

  it("everything it copies exists and gets past .dockerignore", () => {
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const passed = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    expect(copied.filter((path) => !passed.includes(path))).toEqual([]);
    expect(read(".dockerignore")).toMatch(/^\*$/m);
  });

  it("the build gets every file that tsconfig.build.json names", () => {
    const { include }: { include: string[] } = JSON.parse(read("tsconfig.build.json"));
    expect(include.filter((folder) => !copied.includes(folder))).toEqual([]);
  });

  it("the last stage takes the installed package, without development packages", () => {
    const built = values("RUN").join("\n");
    const [, prefix = "none"] =
      /npm pack && npm install --global --prefix (\S+) --omit=dev --ignore-scripts .*\.tgz/.exec(built) ?? [];
    const from = values("COPY").filter((value) => value.startsWith("--from="));
    // There the PATH of the image has `nightledger`, whose link is relative.
    expect(from).toEqual([`--from=build ${prefix} /usr/local`]);
  });

  it("runs as a user without rights, and starts the worker", () => {
    const last = all.map(({ name }) => name).lastIndexOf("FROM");
    const user = all.slice(last).find(({ name }) => name === "USER")?.value;
    expect(user).toBe("node");
    expect(values("ENTRYPOINT")).toEqual(['["nightledger"]']);
    expect(values("CMD")).toEqual(['["worker"]']);
  });
});

describe("shell scripts", () => {
  const scripts = repositoryFiles().filter((path) => path.endsWith(".sh"));

  it.each(scripts)("%s stops at the first error and at an unset variable", (path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    expect(text).toMatch(/^#!\/bin\/sh\n/);
    expect(text).toMatch(/^set -eu$/m);
  });
});
