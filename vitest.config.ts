import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./test/helpers/slowest-first.js";

const shared = {
  pool: "forks" as const,
  testTimeout: 120_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/integration/**", "test/replay/**", "test/kill/**", "test/long/**"],
          // One process after the other would import the same packages again for each file.
          isolate: false,
        },
      },
      { test: { ...shared, name: "replay", include: ["test/replay/**/*.test.ts"] } },
      {
        test: {
          ...shared,
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/helpers/temporal/temporal-setup.ts"],
          testTimeout: 300_000,
          isolate: false,
        },
      },
    ],
    sequence: { sequencer: SlowestFirst },
    // Tests wait a lot: five keep two cores busy.
    maxWorkers: 5,
  },
});
