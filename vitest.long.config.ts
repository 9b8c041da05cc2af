import { defineConfig } from "vitest/config";
import { COMPILED, compiled } from "./test/helpers/compiled.js";

// npm run test:long: what is exhaustive. `npm test` has a part of each.
export default defineConfig({
  plugins: [compiled()],
  test: {
    name: "long",
    include: ["test/long/**/*.test.ts", "test/{domain,lake}/**/*-{property,nights}.test.ts"],
    globalSetup: ["test/helpers/temporal/fresh-bundle.ts", "test/helpers/temporal/temporal-setup.ts"],
    env: { NIGHTLEDGER_PROPERTY_RUNS: "100" },
    pool: "forks",
    server: { deps: { external: COMPILED } },
    testTimeout: 900_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 4,
  },
});
