import { defineConfig, type ViteUserConfig } from "vitest/config";
import { COMPILED, compiled } from "./test/helpers/compiled.js";
import { REAL_FILES } from "./test/helpers/fast-files.js";
import { SlowestFirst } from "./test/helpers/slowest-first.js";

const shared = {
  pool: "forks" as const,
  setupFiles: ["test/helpers/record-times.ts"],
  server: { deps: { external: COMPILED } },
  testTimeout: 120_000,
  hookTimeout: 300_000,
  // Asking more often would take the time from what is waited for.
  expect: { poll: { timeout: 60_000, interval: 100 } },
};

/** Of tests that open worlds around one Temporal server. */
export const INTEGRATION = {
  ...shared,
  globalSetup: ["test/helpers/temporal/fresh-bundle.ts", "test/helpers/temporal/temporal-setup.ts"],
  // Workers of a test's own process run workflows without threads: a world opens ten times as fast.
  env: { TEMPORAL_DEBUG: "1" },
  testTimeout: 300_000,
  isolate: false,
};

/** Tests wait a lot: five keep two cores busy. */
export const MAX_WORKERS = 5;

/** The files of a project. */
export interface Files {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
}

export const UNIT_FILES = {
  include: ["test/**/*.test.ts"],
  exclude: ["integration", "replay", "kill", "cluster", "long"].map((folder) => `test/${folder}/**`),
};
export const INTEGRATION_FILES = { include: ["test/integration/**/*.test.ts"] };

const mutable = ({ include, exclude = [] }: Files) => ({ include: [...include], exclude: [...exclude] });

/** One process after the other would import the same packages again for each file, so files share them. */
export function unit(files: Files, env: Record<string, string> = {}) {
  const test = { ...shared, ...mutable(files), name: "unit", isolate: false, env };
  return { plugins: [compiled()], test };
}

export function integration(files: Files) {
  return { plugins: [compiled()], test: { ...INTEGRATION, ...mutable(files), name: "integration" } };
}

/** Integration tests once more, against a stand-in that differs from the contract as services do. */
export function real() {
  const env = { ...INTEGRATION.env, TEST_BEHAVES: "real" };
  return {
    plugins: [compiled()],
    test: { ...INTEGRATION, env, ...mutable(REAL_FILES), name: "real" },
  };
}

export function replay() {
  const test = {
    ...shared,
    name: "replay",
    include: ["test/replay/**/*.test.ts"],
    globalSetup: ["test/helpers/temporal/fresh-bundle.ts"],
  };
  return { plugins: [compiled()], test };
}

/** Some projects, the slowest files first. */
export function suite(
  projects: readonly ReturnType<typeof unit | typeof integration | typeof real | typeof replay>[],
  maxWorkers = MAX_WORKERS,
): ViteUserConfig {
  return defineConfig({
    test: { projects: [...projects], sequence: { sequencer: SlowestFirst }, maxWorkers },
  });
}

export default suite([unit(UNIT_FILES), replay(), integration(INTEGRATION_FILES), real()]);
