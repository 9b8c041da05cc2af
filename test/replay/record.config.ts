import { defineConfig } from "vitest/config";
import { COMPILED, compiled } from "../helpers/compiled.js";

// npx vitest run --config test/replay/record.config.ts
// Records every history again (README.md says when).
export default defineConfig({
  plugins: [compiled()],
  test: {
    name: "record",
    include: ["test/replay/record-*.ts"],
    globalSetup: ["test/helpers/temporal/fresh-bundle.ts", "test/helpers/temporal/temporal-setup.ts"],
    pool: "forks",
    server: { deps: { external: COMPILED } },
    testTimeout: 180_000,
  },
});
