import { defineConfig } from "vitest/config";

// npm run build && npx vitest run --config test/replay/record.config.ts
// Records every history again (README.md says when).
export default defineConfig({
  test: {
    name: "record",
    include: ["test/replay/record-*.ts"],
    globalSetup: ["test/helpers/temporal/temporal-setup.ts"],
    pool: "forks",
    testTimeout: 180_000,
  },
});
