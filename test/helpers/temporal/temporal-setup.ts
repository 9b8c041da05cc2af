import type { TestProject } from "vitest/node";
import { startTestTemporal, temporalCliPath } from "./temporal-environment.js";

/**
 * Before the tests that need a Temporal server: makes sure of the CLI, once, in the product's own search order,
 * hands its path to every test process, and starts the server that most of them share.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env.TEMPORAL_CLI_PATH = await temporalCliPath();
  const { address, namespace, stop } = await startTestTemporal();
  project.provide("temporal", { address, namespace });
  return stop;
}
