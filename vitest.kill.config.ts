import { defineConfig } from "vitest/config";
import { parseKillOptions } from "./test/kill/kill-options.js";

// npm run test:kill -- --seed N --kills N
const { seed, kills } = parseKillOptions(process.argv, Date.now());

export default defineConfig({
  test: {
    name: "kill",
    include: ["test/kill/**/*.test.ts"],
    globalSetup: ["test/helpers/temporal/temporal-setup.ts"],
    env: { NIGHTLEDGER_KILL_SEED: String(seed), NIGHTLEDGER_KILLS: String(kills) },
    pool: "forks",
    testTimeout: 1_200_000,
    maxWorkers: 1,
  },
});
