import { builtinModules } from "node:module";
import { describe, expect, it } from "vitest";
import { type Import, importsOf, sourcesIn } from "./source-tree.js";

/** What each part of the program may import from others; `type` where only types may cross. */
interface Allowed {
  readonly value: readonly string[];
  readonly type?: readonly string[];
  /** Packages and built-ins; undefined leaves them free. */
  readonly packages?: readonly (string | RegExp)[];
}

const BUILTIN = /^node:/;

/** docs/architecture.md, "Modules": arrows point one way. */
const RULES: Readonly<Record<string, Allowed>> = {
  domain: { value: [], packages: [] },
  api: { value: ["domain"], packages: [BUILTIN, "undici", "zod"] },
  lake: { value: ["domain"], type: ["zod"], packages: [BUILTIN, "@duckdb/node-api", "zod"] },
  streams: { value: ["domain", "api", "lake"], packages: [BUILTIN, "jsonc-parser"] },
  temporal: { value: ["domain"], type: ["lake"], packages: [BUILTIN, /^@temporalio\//] },
  activities: {
    value: ["domain", "api", "lake", "streams", "version"],
    type: ["logger"],
    packages: [BUILTIN, "@temporalio/activity"],
  },
  workflows: { value: ["domain"], type: ["activities"], packages: ["@temporalio/workflow"] },
  config: { value: ["domain", "config-values"], packages: [BUILTIN] },
  "config-values": { value: ["domain"], packages: [BUILTIN] },
  logger: { value: [], packages: ["pino"] },
  version: { value: [], packages: [] },
  worker: {
    value: ["domain", "api", "lake", "temporal", "activities", "version"],
    type: ["config", "logger"],
  },
  webhooks: {
    value: ["domain", "api", "lake"],
    type: ["logger"],
    packages: [BUILTIN, "@temporalio/client", "standardwebhooks"],
  },
  cli: {
    value: [
      "domain",
      "api",
      "lake",
      "streams",
      "temporal",
      "worker",
      "config",
      "logger",
      "version",
      "webhooks",
      "sandbox",
    ],
    type: ["workflows"],
  },
  sandbox: { value: ["domain"], type: ["api"], packages: [BUILTIN] },
};

/** Built before the program runs and never part of the bundle, so it may use Node and the bundler. */
const BUNDLE_BUILDER = "src/workflows/build-bundle.ts";

const sources = sourcesIn("src", "sandbox").filter((path) => path !== BUNDLE_BUILDER);

function partOf(path: string): string | undefined {
  if (path.startsWith("sandbox/")) return "sandbox";
  return /^src\/([^/.]+)/.exec(path)?.[1];
}

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const part = partOf(from) ?? "";
  const rule = RULES[part];
  if (rule === undefined) return false;
  const target = partOf(to);
  if (target === undefined) {
    return rule.packages?.some((name) => (typeof name === "string" ? name === to : name.test(to))) ?? true;
  }
  return target === part || rule.value.includes(target) || (typeOnly && (rule.type ?? []).includes(target));
}

const words = ({ from, to, typeOnly }: Import) => `${from} → ${to}${typeOnly ? " (type)" : ""}`;

describe("dependency direction", () => {
  it("every part of src has a rule", () => {
    expect([...new Set(sources.map((path) => partOf(path)))].filter((part) => !RULES[part ?? ""])).toEqual(
      [],
    );
  });

  it("imports go along the arrows of docs/architecture.md only", () => {
    const wrong = sources.flatMap(importsOf).filter((one) => !isAllowed(one));
    expect(wrong.map(words)).toEqual([]);
  });

  it("domain and workflows use no Node built-in, not even for types", () => {
    const builtins = new Set(builtinModules);
    const wrong = sources
      .filter((path) => /^src\/(domain|workflows)\//.test(path))
      .flatMap(importsOf)
      .filter(({ to }) => BUILTIN.test(to) || builtins.has(to));
    expect(wrong.map(words)).toEqual([]);
  });

  it("relative imports end in .js and lead to a file", () => {
    const known = new Set(sourcesIn("src", "sandbox", "bench", "test"));
    const wrong = [...known]
      .flatMap(importsOf)
      .filter(({ to }) => /^(src|sandbox|bench|test)\//.test(to) && !known.has(to));
    expect(wrong.map(words)).toEqual([]);
  });

  it("no file imports itself over others at run time", () => {
    expect(cycles(sources, (one) => !one.typeOnly)).toEqual([]);
  });
});

/** Cycles of the import graph, each as the path that closes it. */
function cycles(files: readonly string[], counts: (one: Import) => boolean): string[] {
  const targets = new Map(files.map((path) => [path, importsOf(path).filter(counts)] as const));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path].join(" → "));
    if (at >= 0 || done.has(path)) return;
    for (const { to } of targets.get(path) ?? []) if (targets.has(to)) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of files) visit(path, []);
  return found;
}
