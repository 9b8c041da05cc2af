import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "@temporalio/worker";
import { createActivities } from "../../../src/activities/create-activities.js";
import { createApiClient } from "../../../src/api/http/client.js";
import { askerOf } from "../../../src/intake/bulk/start.js";
import { openLake } from "../../../src/lake/lake.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createLogger } from "../../../src/logger.js";
import { connectWorker } from "../../../src/temporal/connection.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { dataConverter } from "../../../src/temporal/encryption/payload-codec.js";
import { installRuntime } from "../../../src/temporal/runtime.js";
import { type StoreFault, withFaults } from "../kill/fault-store.js";

/** What a worker of the calls alone is started with; plain JSON. */
export interface CallWorkerSettings {
  readonly url: string;
  readonly apiKey: string;
  readonly lake: string;
  readonly address: string;
  readonly taskQueue: string;
  readonly keys: string;
  readonly logFile: string;
  readonly faults: readonly StoreFault[];
}

/** Starts a worker whose workflow makes calls; the result stops it. */
export async function startCallWorker(settings: CallWorkerSettings): Promise<() => Promise<void>> {
  const keys = parseEncryptionKeys(settings.keys);
  const log = createLogger({
    destination: { file: settings.logFile },
    level: "debug",
    secrets: [settings.apiKey],
  });
  installRuntime(log.logger);
  const api = createApiClient({
    baseUrl: settings.url,
    apiKey: settings.apiKey,
    concurrency: 8,
    headersTimeoutMs: 20_000,
    bodyTimeoutMs: 20_000,
    maxBodyBytes: 1 << 24,
    userAgent: "nightledger/test",
  });
  const store = withFaults(createLocalStore(settings.lake), settings.faults);
  const sealer = createSealer(keys);
  const lake = openLake({ directory: settings.lake, store, sealer });
  const sealed = new SealedStore(store, sealer);
  const connection = await connectWorker({ address: settings.address, namespace: "default" });
  const workflows = new URL(`./call-workflow${extname(import.meta.url)}`, import.meta.url);
  const asker = askerOf({ url: settings.url, key: settings.apiKey });
  const worker = await Worker.create({
    connection,
    namespace: "default",
    taskQueue: settings.taskQueue,
    workflowsPath: fileURLToPath(workflows),
    activities: createActivities({ api, asker, lake, sealed, log: log.logger, concurrency: 8 }),
    dataConverter: dataConverter(keys, "default"),
    stickyQueueScheduleToStartTimeout: "1s",
  });
  const done = worker.run();
  return async () => {
    worker.shutdown();
    await done;
    await connection.close();
    await lake.close();
    await api.close();
    log.close();
  };
}
