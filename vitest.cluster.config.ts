import { parseArgs } from "node:util";
import { defineConfig } from "vitest/config";
import { COMPILED, compiled } from "./test/helpers/compiled.js";

// npm run test:cluster -- --rounds N --seed N
const given = process.argv.includes("--") ? process.argv.slice(process.argv.indexOf("--") + 1) : [];
const { values } = parseArgs({
  args: given.filter((word) => word !== "--"),
  options: {
    rounds: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});

export default defineConfig({
  plugins: [compiled()],
  test: {
    name: "cluster",
    include: ["test/cluster/**/*.test.ts"],
    globalSetup: ["test/helpers/temporal/fresh-bundle.ts"],
    env: { NIGHTLEDGER_CLUSTER_ROUNDS: values.rounds, NIGHTLEDGER_CLUSTER_SEED: values.seed },
    pool: "forks",
    server: { deps: { external: COMPILED } },
    // As long as fifty rounds take.
    testTimeout: 6 * 3_600_000,
    // Temporal's server is built once.
    hookTimeout: 3_600_000,
    maxWorkers: 1,
  },
});
