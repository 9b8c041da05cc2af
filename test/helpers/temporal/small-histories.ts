import { TestWorkflowEnvironment } from "@temporalio/testing";
import { connectClient } from "../../../src/temporal/connection.js";
import { installRuntime } from "../../../src/temporal/runtime.js";
import { TEST_KEYS, type TestTemporal, temporalCliPath } from "./temporal-environment.js";

/** Events after which this server suggests that a workflow continue as new. */
const SUGGEST_AFTER = 20;

/** Starts a server, in memory, whose workflows continue as new after a few events. */
export async function startSmallHistories(): Promise<TestTemporal> {
  // The first one in a process decides where the SDK logs.
  installRuntime({ debug() {}, info() {}, warn() {}, error() {} });
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "existing-path", path: await temporalCliPath() },
      extraArgs: ["--dynamic-config-value", `limit.historyCount.suggestContinueAsNew=${SUGGEST_AFTER}`],
    },
  });
  const { address } = environment;
  const namespace = "default";
  const client = await connectClient({ address, namespace }, TEST_KEYS);
  return {
    address,
    namespace,
    directory: "",
    client: async () => client,
    async stop() {
      await client.close();
      await environment.teardown();
    },
  };
}
