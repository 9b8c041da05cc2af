import { Runtime } from "@temporalio/worker";
import { expect, test } from "vitest";
import { installRuntime } from "../../src/temporal/runtime.js";

const METHODS = ["debug", "info", "warn", "error"] as const;

test("what the SDK says of workflows keeps its level; what it says of its own work is for debugging", async () => {
  const lines: unknown[][] = [];
  const logger = Object.fromEntries(
    METHODS.map((method) => [
      method,
      (fields: object, message: string) => lines.push([method, message, fields]),
    ]),
  );
  installRuntime(logger as never);
  const sdk = Runtime.instance().logger;
  const context = {
    workflowId: "sync/0a/1",
    runId: "e1",
    workflowType: "sync",
    namespace: "default",
    taskQueue: "q",
  };
  sdk.warn("handlers have not finished", { ...context, sdkComponent: "workflow" });
  sdk.warn("Activity failed", { ...context, sdkComponent: "worker" });
  sdk.info("Worker state changed", { sdkComponent: "worker", state: "STOPPING" });
  sdk.warn("gRPC call failed", { sdkComponent: "core" });
  sdk.warn("Failing workflow task", { sdkComponent: "core", run_id: "e1" });
  sdk.error("Worker failed", { sdkComponent: "worker" });
  await expect
    .poll(() => lines)
    .toEqual([
      ["warn", "handlers have not finished", { ...context, sdkComponent: "workflow" }],
      ["debug", "Activity failed", { ...context, sdkComponent: "worker" }],
      ["debug", "Worker state changed", { sdkComponent: "worker", state: "STOPPING" }],
      ["debug", "gRPC call failed", { sdkComponent: "core" }],
      ["warn", "Failing workflow task", { sdkComponent: "core", run_id: "e1" }],
      ["error", "Worker failed", { sdkComponent: "worker" }],
    ]);
});
