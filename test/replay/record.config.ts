import { defineConfig } from "vitest/config";

// npm run build && npx vitest run --config test/replay/record.config.ts
// Records the histories anew, after a change of the workflows that old runs need not survive. A change that they
// must survive is patched, and its own history is added beside the old ones.
export default defineConfig({
  test: {
    name: "record",
    include: ["test/replay/record-*.ts"],
    globalSetup: ["test/helpers/temporal/temporal-setup.ts"],
    pool: "forks",
    testTimeout: 180_000,
  },
});
