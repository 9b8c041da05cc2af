import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApplicationFailure } from "@temporalio/common";
import { Worker } from "@temporalio/worker";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError, UnreachableError } from "../../src/domain/failures.js";
import { connectClient, connectWorker, isLoopback } from "../../src/temporal/connection.js";
import { dataConverter } from "../../src/temporal/encryption/payload-codec.js";
import { installRuntime } from "../../src/temporal/runtime.js";
import { startTestTemporal, TEST_KEYS, type TestTemporal } from "../helpers/temporal/temporal-environment.js";

const logged: string[] = [];
const log = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
let temporal: TestTemporal;

beforeAll(async () => {
  installRuntime({ debug: log, info: log, warn: log, error: log });
  temporal = await startTestTemporal({ file: true });
}, 1_800_000);
afterAll(() => temporal.stop());

describe("a server that can't be used", () => {
  let silent: Server;
  let silentPort: number;
  beforeAll(async () => {
    silent = createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    silentPort = typeof address === "object" && address !== null ? address.port : 0;
  });
  afterAll(() => void silent.close());

  const apiKey = "tk_live_planted";
  const connects = {
    client: (address: string) =>
      connectClient({ address, namespace: "default", apiKey, tls: false }, TEST_KEYS, 1_500),
    worker: (address: string) => connectWorker({ address, namespace: "default", apiKey, tls: false }, 1_500),
  };
  test.each(["client", "worker"] as const)(
    "is an unreachable error for the %s, soon, naming the address and never the key",
    async (kind) => {
      for (const address of ["127.0.0.1:1", `127.0.0.1:${silentPort}`]) {
        const error = await connects[kind](address).catch((failure: unknown) => failure);
        expect(error).toBeInstanceOf(UnreachableError);
        expect((error as Error).message).toContain(address);
        expect((error as Error).message).not.toContain(apiKey);
      }
    },
  );

  test("for the lack of a namespace is an input error that names it", async () => {
    const connecting = connectClient({ address: temporal.address, namespace: "nowhere" }, TEST_KEYS);
    await expect(connecting).rejects.toThrow(InputError);
    await expect(
      connectClient({ address: temporal.address, namespace: "nowhere" }, TEST_KEYS),
    ).rejects.toThrow(/TEMPORAL_NAMESPACE: .*"nowhere"/);
  });
});

test.each([
  ["127.0.0.1:7233", true],
  ["localhost:7233", true],
  ["[::1]:7233", true],
  ["temporal:7233", false],
  ["127.0.0.1.example.com:7233", false],
])("%s is of this machine: %s", (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});

test("arguments, results and failures reach Temporal's database and the logs encrypted; types stay readable", async () => {
  const { client } = await temporal.client();
  const connection = await connectWorker({ address: temporal.address, namespace: "default" });
  try {
    const worker = await Worker.create({
      connection,
      namespace: "default",
      taskQueue: "echo",
      workflowsPath: fileURLToPath(new URL("./echo-workflow.ts", import.meta.url)),
      dataConverter: dataConverter(TEST_KEYS, "default"),
      activities: {
        refuse: async (name: string) => {
          throw ApplicationFailure.nonRetryable(`no such person as ${name}`, "RejectedError", { name });
        },
      },
    });
    await worker.runUntil(async () => {
      const start = (workflowId: string, fail: boolean) =>
        client.workflow.execute("echo", { taskQueue: "echo", workflowId, args: ["Planted Name", fail] });
      expect(await start("echo-1", false)).toBe("Planted Name");
      const error = await start("echo-2", true).catch((failure: unknown) => failure as Error);
      expect(JSON.stringify(messagesOf(error))).toContain("no such person as Planted Name");
    });
  } finally {
    await connection.close();
  }
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: "default",
    execution: { workflowId: "echo-2" },
  });
  const failed = history?.events?.find((event) => event.activityTaskFailedEventAttributes);
  const failure = failed?.activityTaskFailedEventAttributes?.failure;
  expect(failure?.applicationFailureInfo?.type).toBe("RejectedError");
  expect(failure?.message).toBe("Encoded failure");
  const names = await readdir(temporal.directory);
  const files = Buffer.concat(
    await Promise.all(names.map((name) => readFile(join(temporal.directory, name)))),
  );
  expect(files.includes("echo-2")).toBe(true);
  expect(files.includes("Planted Name")).toBe(false);
});

test("messages of the core and the SDK go to the logger, which can be changed", async () => {
  expect(logged.join("\n")).toMatch(/Worker state changed|Creating worker|Workflow bundle/);
  const second: string[] = [];
  const other = (_fields: object, message: string) => void second.push(message);
  installRuntime({ debug: other, info: other, warn: other, error: other });
  const { Runtime } = await import("@temporalio/worker");
  Runtime.instance().logger.warn("after the change", { fields: 1 });
  await expect.poll(() => second).toContain("after the change");
});

function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
}
