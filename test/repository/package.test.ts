import { execFileSync } from "node:child_process";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { links } from "./markdown.js";
import { importsOf, ROOT, read, sourcesIn } from "./source-tree.js";

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

// What is in `dist` here; `prepack` builds it anew for a package that is kept.
const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
  cwd: ROOT,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
const [packed] = Object.values<Packed>(JSON.parse(listed));
const files = packed?.files.map(({ path }) => path) ?? [];
const manifest: { license: string; scripts: Record<string, string> } = JSON.parse(read("package.json"));

describe("the package", () => {
  it("has the program, what builds its Temporal CLI, and the documents", () => {
    const places = files.map((path) =>
      path
        .split("/")
        .slice(0, /^(dist|tools)\//.test(path) ? 2 : 1)
        .join("/"),
    );
    expect([...new Set(places)].sort()).toEqual([
      ".env.example",
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "bin",
      "dbt",
      "dist/sandbox",
      "dist/src",
      "dist/workflow-bundle.js",
      "docs",
      "package.json",
      "tools/temporal",
    ]);
  });

  // Read from an installed package, such a link leads nowhere.
  it("has every file to which a document of it links", () => {
    const outside = files
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) =>
        links(path)
          .map((target) => target.split("#", 1)[0] ?? "")
          .filter((target) => target !== "" && !files.includes(posix.join(posix.dirname(path), target)))
          .map((target) => `${path}: ${target}`),
      );
    expect(outside).toEqual([]);
  });

  it("has every source of the program compiled, and neither sources, maps nor tests", () => {
    const compiled = sourcesIn("src", "sandbox").map((path) => `dist/${path.replace(/\.ts$/, ".js")}`);
    const needed = ["bin/nightledger.js", "dist/src/cli/main.js", "tools/temporal/go.mod", ...compiled];
    expect(needed.filter((path) => !files.includes(path))).toEqual([]);
    expect(files.filter((path) => /\.(ts|map|tsbuildinfo)$|(^|\/)(test|bench)\//.test(path))).toEqual([]);
  });

  it("imports nothing of the repository that it has not", () => {
    const outside = sourcesIn("src", "sandbox")
      .flatMap(importsOf)
      .filter(({ to, typeOnly }) => !typeOnly && /^(bench|test|tools)\//.test(to));
    expect(outside).toEqual([]);
  });

  it("runs no script where a user installs it, and is built where it is packed", () => {
    const installing = /^(pre|post)?install$|^prepublish$|^prepare$/;
    expect(Object.keys(manifest.scripts).filter((name) => installing.test(name))).toEqual([]);
    expect(manifest.scripts.prepack).toMatch(/rmSync\('dist'.*npm run build$/);
    expect(manifest.scripts.postprepare).toBe("npm run build");
  });

  it("LICENSE says what package.json says", () => {
    expect(read("LICENSE")).toContain(`"license": "${manifest.license}"`);
    expect(read("LICENSE")).toContain("All rights are reserved");
  });
});
