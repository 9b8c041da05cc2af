import { TestWorkflowEnvironment } from "@temporalio/testing";
import { connectClient } from "../../../src/temporal/connection.js";
import { installRuntime } from "../../../src/temporal/runtime.js";
import { TEST_KEYS, type TestTemporal, temporalCliPath } from "./temporal-environment.js";

/** Starts a server, in memory, with these values of Temporal's dynamic configuration: `name=json`. */
export async function startConfiguredTemporal(...values: readonly string[]): Promise<TestTemporal> {
  // The first one in a process decides where the SDK logs.
  installRuntime({ debug() {}, info() {}, warn() {}, error() {} });
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "existing-path", path: await temporalCliPath() },
      extraArgs: values.flatMap((value) => ["--dynamic-config-value", value]),
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
