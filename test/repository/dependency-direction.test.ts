import { describe, expect, it } from "vitest";
import { type Import, importsOf, sourcesIn } from "./source-tree.js";

/** What a layer may import from others; `type` where only types may cross. */
interface Allowed {
  readonly value: readonly string[];
  readonly type?: readonly string[];
  /** Packages and built-ins; undefined leaves them free. */
  readonly packages?: readonly (string | RegExp)[];
}

const BUILTIN = /^node:/;

/** docs/inside/architecture.md, "Modules": a file's first folder is its layer, and says what it may import. */
const LAYERS: Readonly<Record<string, Allowed>> = {
  domain: { value: [], packages: [] },
  api: { value: ["domain"], packages: [BUILTIN, "undici", "zod"] },
  lake: { value: ["domain"], type: ["zod"], packages: [BUILTIN, /^@aws-sdk\//, "@duckdb/node-api", "zod"] },
  temporal: {
    value: ["domain"],
    type: ["lake"],
    packages: [BUILTIN, /^@temporalio\//, "fs-native-extensions"],
  },
  streams: { value: ["domain", "api", "lake"], packages: [BUILTIN, "zod"] },
  pages: { value: [], packages: [] },
  jobs: { value: ["domain", "api", "lake", "temporal", "pages"], packages: [BUILTIN, "p-limit", "zod"] },
  intake: {
    value: ["domain", "api", "lake", "temporal", "jobs"],
    packages: [BUILTIN, "@temporalio/client", "csv-parse", "zod"],
  },
  activities: {
    value: ["domain", "api", "lake", "temporal", "streams", "jobs", "intake", "tables", "version"],
    type: ["logger"],
    packages: [BUILTIN, "@temporalio/activity", "standardwebhooks"],
  },
  receiver: {
    value: ["domain", "api", "lake", "temporal"],
    type: ["logger"],
    packages: [BUILTIN, "@temporalio/client", "standardwebhooks"],
  },
  workflows: { value: ["domain"], type: ["activities"], packages: ["@temporalio/workflow"] },
  config: { value: ["domain", "config-file", "config-values"], packages: [BUILTIN] },
  "config-file": { value: ["domain", "config-values"], packages: [BUILTIN, "yaml", "zod"] },
  "config-values": { value: ["domain"], packages: [BUILTIN, "zod"] },
  logger: { value: ["log-file"], packages: ["pino"] },
  "log-file": { value: [], packages: [BUILTIN] },
  version: { value: [], packages: [] },
  tables: { value: ["lake", "streams"], packages: [] },
  worker: {
    value: ["domain", "api", "lake", "temporal", "intake", "activities", "version"],
    type: ["config", "logger", "jobs", "workflows"],
  },
  cli: {
    value: [
      "domain",
      "api",
      "lake",
      "streams",
      "jobs",
      "pages",
      "intake",
      "temporal",
      "receiver",
      "tables",
      "worker",
      "config",
      "config-values",
      "logger",
      "version",
      "sandbox",
    ],
    type: ["workflows"],
  },
  sandbox: { value: ["domain"], type: ["api"], packages: [BUILTIN, "zod"] },
};

/** docs/inside/architecture.md, "Modules": a file's second folder is its room, and says which other rooms it may know. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  calls: [],
  sync: [],
  onboarding: ["calls"],
  bulk: ["calls", "sync"],
  webhooks: ["sync", "onboarding"],
  schedules: ["sync", "onboarding", "bulk"],
  runs: ["sync", "onboarding", "bulk", "schedules"],
  hooks: ["bulk", "schedules", "runs"],
  board: ["sync", "onboarding", "bulk", "schedules", "runs"],
};

/** Layers that serve one room as a whole. */
const ROOM_OF_LAYER: Readonly<Record<string, string>> = {
  streams: "sync",
  jobs: "bulk",
  receiver: "webhooks",
};

/** Where the rooms are put together, so these know all of them. */
const COMPOSITION = [
  "src/activities/create-activities.ts",
  "src/workflows/index.ts",
  "src/workflows/policies.ts",
  "src/tables.ts",
  "src/worker.ts",
  /^src\/cli\/(main\.ts|commands\/|local\/)/,
  /^sandbox\//,
];

/** Built before the program runs and never part of the bundle, so it may use Node and the bundler. */
const BUNDLE_BUILDER = "src/workflows/build-bundle.ts";

const sources = sourcesIn("src", "sandbox").filter((path) => path !== BUNDLE_BUILDER);

function layerOf(path: string): string | undefined {
  if (path.startsWith("sandbox/")) return "sandbox";
  return /^src\/([^/.]+)/.exec(path)?.[1];
}

/** The room of a file; undefined for the platform. */
function roomOf(path: string): string | undefined {
  const [, layer = "", room = ""] = /^src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  return ROOM_OF_LAYER[layer] ?? (room in ROOMS ? room : undefined);
}

function goesDown({ from, to, typeOnly }: Import): boolean {
  const layer = layerOf(from) ?? "";
  const rule = LAYERS[layer];
  if (rule === undefined) return false;
  const target = layerOf(to);
  if (target === undefined) {
    return rule.packages?.some((name) => (typeof name === "string" ? name === to : name.test(to))) ?? true;
  }
  return target === layer || rule.value.includes(target) || (typeOnly && (rule.type ?? []).includes(target));
}

function staysInItsRoom({ from, to }: Import): boolean {
  const target = roomOf(to);
  if (target === undefined) return true;
  if (COMPOSITION.some((place) => (typeof place === "string" ? place === from : place.test(from))))
    return true;
  const room = roomOf(from);
  return room === target || (room !== undefined && (ROOMS[room] ?? []).includes(target));
}

const words = ({ from, to, typeOnly }: Import) => `${from} → ${to}${typeOnly ? " (type)" : ""}`;

describe("dependency direction", () => {
  it("every layer of src has a rule", () => {
    const layers = new Set(sources.map((path) => layerOf(path) ?? path));
    expect([...layers].filter((layer) => !LAYERS[layer])).toEqual([]);
  });

  it("imports go down the layers of docs/inside/architecture.md only, types included", () => {
    const wrong = sources.flatMap(importsOf).filter((one) => !goesDown(one));
    expect(wrong.map(words)).toEqual([]);
  });

  it("rooms know only the rooms that they build on, and the platform knows none, types included", () => {
    const wrong = sources.flatMap(importsOf).filter((one) => !staysInItsRoom(one));
    expect(wrong.map(words)).toEqual([]);
  });

  it("relative imports end in .js and lead to a file", () => {
    const known = new Set(sourcesIn("src", "sandbox", "bench", "test"));
    const wrong = [...known]
      .flatMap(importsOf)
      .filter(({ to }) => /^(src|sandbox|bench|test)\//.test(to) && !known.has(to));
    expect(wrong.map(words)).toEqual([]);
  });

  it("no file imports itself over others, not even for a type", () => {
    expect(cycles(sources)).toEqual([]);
  });
});

/** Cycles of the import graph, each as the path that closes it. */
function cycles(files: readonly string[]): string[] {
  const targets = new Map(files.map((path) => [path, importsOf(path)] as const));
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
