import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection, Worker } from "@temporalio/worker";
import { findTemporalCli } from "../../src/temporal/cli/cli-binary.js";
import { installRuntime } from "../../src/temporal/runtime.js";
import { acquireEmbeddedServer, type EmbeddedServer } from "../../src/temporal/server/embedded-server.js";
import type { BareOptions } from "./bare-peer.js";

export type BareActivities = ReturnType<typeof bareActivities>;

const TASK_QUEUE = "bare";
const OUTSIDE = fileURLToPath(new URL("./outside-process.js", import.meta.url));
const ignore = () => undefined;

/** A call that takes its time and does nothing; then outside is told whose it was. */
function bareActivities(latencyMs: number, tell: (workflowId: string) => void) {
  return {
    async call(workflowId: string): Promise<void> {
      await sleep(latencyMs);
      tell(workflowId);
    },
  };
}

/** Runs the bare batch on a Temporal server of its own; prints the seconds that it took. */
async function main(options: BareOptions): Promise<void> {
  installRuntime({ debug: ignore, info: ignore, warn: ignore, error: ignore });
  const { path } = await findTemporalCli({ env: process.env, report: ignore });
  const home = join(options.directory, "home");
  const server = await acquireEmbeddedServer({ home, cliPath: path, report: ignore });
  try {
    process.stdout.write(JSON.stringify({ seconds: await runBatch(options, server) }));
  } finally {
    await server.release();
  }
}

async function runBatch(
  { customers, window, latencyMs, delayMs }: BareOptions,
  { address, namespace }: EmbeddedServer,
): Promise<number> {
  const outside = fork(OUTSIDE, [JSON.stringify({ address, namespace, delayMs })]);
  await once(outside, "message");
  const connection = await NativeConnection.connect({ address, grpcCompression: { codec: "none" } });
  // As many of each as the product's worker has.
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL("./workflows.js", import.meta.url)),
    activities: bareActivities(latencyMs, (workflowId) => outside.send(workflowId)),
    maxCachedWorkflows: 200,
    maxConcurrentActivityTaskExecutions: 100,
    stickyQueueScheduleToStartTimeout: "1s",
  });
  const client = new Client({ connection: await Connection.connect({ address }), namespace });
  const seconds = await worker.runUntil(async () => {
    const started = performance.now();
    await client.workflow.execute("bareBatch", {
      workflowId: "bare-batch",
      taskQueue: TASK_QUEUE,
      args: [{ customers, window }],
    });
    return (performance.now() - started) / 1000;
  });
  outside.disconnect();
  await client.connection.close();
  await connection.close();
  return seconds;
}

await main(JSON.parse(process.argv[2] ?? "{}") as BareOptions);
