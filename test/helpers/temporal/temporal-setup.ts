import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { startTestTemporal, temporalCliPath } from "./temporal-environment.js";

const BUNDLE = fileURLToPath(new URL("../../../dist/workflow-bundle.js", import.meta.url));

/**
 * Before the tests that need a Temporal server: makes sure of the CLI, once, in the product's own search order,
 * hands its path to every test process, and starts the server that most of them share. The workflow bundle comes
 * from `npm run build`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(BUNDLE)) throw new Error(`${BUNDLE} is not there. Run \`npm run build\`, then the tests.`);
  process.env.TEMPORAL_CLI_PATH = await temporalCliPath();
  const { address, namespace, stop } = await startTestTemporal();
  project.provide("temporal", { address, namespace });
  return stop;
}
