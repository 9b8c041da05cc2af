import { defineConfig } from "vitest/config";
import { COMPILED, compiled } from "./test/helpers/compiled.js";

// npm run test:bucket: suites of npm test, with each lake in a bucket and two workers that race.
export default defineConfig({
  plugins: [compiled()],
  test: {
    name: "bucket",
    include: ["test/integration/{sync,bulk,onboarding}/**/*.test.ts"],
    // They open the lake or a pack as files, or name steps of a lake of files.
    exclude: [
      "sync/forget/forget",
      "sync/kill/disk-full",
      "sync/kill/kill-steps",
      "sync/lost-answers",
      "sync/seen/log",
      "bulk/cip",
    ].map((name) => `test/integration/${name}.test.ts`),
    // A cluster's worker is given longer to end than an embedded one.
    testNamePattern: /^(?!.*stopped worker sends no further call)/,
    globalSetup: [
      "test/helpers/temporal/fresh-bundle.ts",
      "test/helpers/temporal/temporal-setup.ts",
      "test/helpers/store/s3-setup.ts",
    ],
    env: { TEMPORAL_DEBUG: "1" },
    isolate: false,
    pool: "forks",
    server: { deps: { external: COMPILED } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
    maxWorkers: 5,
  },
});
