import { defineConfig } from "vitest/config";
import { COMPILED, compiled } from "./test/helpers/compiled.js";
import { parseKillOptions } from "./test/kill/kill-options.js";

// npm run test:kill -- --seed N --kills N --onboard-kills N --bulk-kills N --store forgetful
const { seed, kills, onboardKills, bulkKills, store } = parseKillOptions(process.argv, Date.now());

export default defineConfig({
  plugins: [compiled()],
  test: {
    name: "kill",
    include: ["test/kill/**/*.test.ts"],
    globalSetup: ["test/helpers/temporal/fresh-bundle.ts", "test/helpers/temporal/temporal-setup.ts"],
    env: {
      NIGHTLEDGER_KILL_SEED: String(seed),
      NIGHTLEDGER_KILLS: String(kills),
      NIGHTLEDGER_ONBOARD_KILLS: String(onboardKills),
      NIGHTLEDGER_BULK_KILLS: String(bulkKills),
      NIGHTLEDGER_KILL_STORE: store,
    },
    pool: "forks",
    server: { deps: { external: COMPILED } },
    // As long as hundreds of kills take.
    testTimeout: 6 * 3_600_000,
    maxWorkers: 1,
  },
});
