import { defineConfig } from "vitest/config";

const shared = { pool: "forks" as const, testTimeout: 60_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/integration/**", "test/replay/**", "test/kill/**"],
        },
      },
      { test: { ...shared, name: "replay", include: ["test/replay/**/*.test.ts"] } },
      {
        test: {
          ...shared,
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/helpers/temporal/temporal-setup.ts"],
          testTimeout: 180_000,
        },
      },
    ],
    // Tests wait a lot: three keep two cores busy.
    maxWorkers: 3,
  },
});
