import { defineConfig } from "vitest/config";
import { COMPILED, compiled } from "./test/helpers/compiled.js";
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

const plugins = [compiled()];

export default defineConfig({
  test: {
    projects: [
      {
        plugins,
        test: {
          ...shared,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/integration/**",
            "test/replay/**",
            "test/kill/**",
            "test/cluster/**",
            "test/long/**",
          ],
          // One process after the other would import the same packages again for each file.
          isolate: false,
        },
      },
      {
        plugins,
        test: {
          ...shared,
          name: "replay",
          include: ["test/replay/**/*.test.ts"],
          globalSetup: ["test/helpers/temporal/fresh-bundle.ts"],
        },
      },
      {
        plugins,
        test: { ...INTEGRATION, name: "integration", include: ["test/integration/**/*.test.ts"] },
      },
    ],
    sequence: { sequencer: SlowestFirst },
    maxWorkers: MAX_WORKERS,
  },
});
