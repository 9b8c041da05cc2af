import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection, Worker } from "@temporalio/worker";
import { findTemporalCli } from "../../src/temporal/cli-binary.js";
import { acquireEmbeddedServer } from "../../src/temporal/embedded-server.js";
import { installRuntime } from "../../src/temporal/runtime.js";
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

/** Runs the bare batch; prints the seconds that it took. */
async function main({ customers, window, latencyMs, delayMs, directory }: BareOptions): Promise<void> {
  installRuntime({ debug: ignore, info: ignore, warn: ignore, error: ignore });
  const { path } = await findTemporalCli({ env: process.env, report: ignore });
  const server = await acquireEmbeddedServer({
    home: join(directory, "home"),
    cliPath: path,
    report: ignore,
  });
  const { address, namespace } = server;
  const outside = fork(OUTSIDE, [JSON.stringify({ address, namespace, delayMs })]);
  await new Promise((resolve) => outside.once("message", resolve));
  const connection = await NativeConnection.connect({ address, grpcCompression: { codec: "none" } });
  // As many of each as the product's worker has.
  const worker = await Worker.create({
    ...{ connection, namespace, taskQueue: TASK_QUEUE },
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
      ...{ workflowId: "bare-batch", taskQueue: TASK_QUEUE },
      args: [{ customers, window }],
    });
    return (performance.now() - started) / 1000;
  });
  process.stdout.write(JSON.stringify({ seconds }));
  outside.disconnect();
  await client.connection.close();
  await connection.close();
  await server.release();
}

await main(JSON.parse(process.argv[2] ?? "{}") as BareOptions);
