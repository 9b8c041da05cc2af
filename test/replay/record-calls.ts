import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { stageRequest } from "../../src/lake/calls/staged-call.js";
import { createLocalStore } from "../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../src/lake/store/sealed-store.js";
import { createSealer } from "../../src/temporal/encryption/cipher.js";
import type { CallServiceInput } from "../../src/workflows/calls/call-service.js";
import { startCallWorker } from "../helpers/calls/call-worker.js";
import { recordHistory } from "../helpers/temporal/replay-histories.js";
import { startTestTemporal, TEST_KEYS, type TestTemporal } from "../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
let base: string;
beforeAll(async () => {
  temporal = await startTestTemporal();
  base = await mkdtemp(join(tmpdir(), "nightledger-record-"));
});
afterAll(async () => {
  await temporal?.stop();
  await rm(base, { recursive: true, force: true });
});

test("a durable call that is answered, and one that is refused", async () => {
  const sandbox = await startSandbox();
  sandbox.addUser({ fp_id: "fp_1" });
  const lake = join(base, "lake");
  const taskQueue = "record-calls";
  const stop = await startCallWorker({
    ...{ url: sandbox.url, apiKey: sandbox.apiKey, lake, address: temporal.address, taskQueue },
    keys: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    logFile: join(base, "worker.log"),
    faults: [],
  });
  try {
    const { client } = await temporal.client();
    const sealed = new SealedStore(createLocalStore(lake), createSealer(TEST_KEYS));
    for (const [name, fp_id] of [
      ["call-service", "fp_1"],
      ["call-service-refused", "fp_nobody"],
    ] as const) {
      const prefix = `_staging/calls/${name}/`;
      await stageRequest(sealed, prefix, { operation: "get_user", params: { path: { fp_id } } });
      const args: [CallServiceInput] = [{ operation: "get_user", prefix }];
      const handle = await client.workflow.start("callService", { taskQueue, workflowId: name, args });
      expect("failure" in ((await handle.result()) as object)).toBe(fp_id === "fp_nobody");
      await recordHistory(client, name, name);
    }
  } finally {
    await stop();
    await sandbox.close();
  }
});
