import { defineConfig } from "vitest/config";
import { compiled } from "./test/helpers/compiled.js";
import { INTEGRATION, MAX_WORKERS } from "./vitest.config.js";

// npm run test:bucket: suites of npm test, with each lake in a bucket and two workers that race.
export default defineConfig({
  plugins: [compiled()],
  test: {
    ...INTEGRATION,
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
    globalSetup: [...INTEGRATION.globalSetup, "test/helpers/store/s3-setup.ts"],
    maxWorkers: MAX_WORKERS,
  },
});
