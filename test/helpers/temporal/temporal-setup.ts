import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findTemporalCli } from "../../../src/temporal/cli/cli-binary.js";

const BUNDLE = fileURLToPath(new URL("../../../dist/workflow-bundle.js", import.meta.url));

/**
 * Before the tests that need a Temporal server: makes sure of the CLI, once, in the product's own search
 * order, and hands its path to every test process. The workflow bundle comes from `npm run build`.
 */
export default async function setup(): Promise<void> {
  if (!existsSync(BUNDLE)) throw new Error(`${BUNDLE} is not there. Run \`npm run build\`, then the tests.`);
  const cli = await findTemporalCli({
    env: process.env,
    report: (message) => process.stderr.write(`${message}\n`),
  });
  process.env.TEMPORAL_CLI_PATH = cli.path;
}
