import { readFileSync } from "node:fs";
import { createApiClient } from "../../../src/api/http/client.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createLogger } from "../../../src/logger.js";
import { startReceiver } from "../../../src/receiver/receiver.js";
import { connectClient } from "../../../src/temporal/connection.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { type StoreFault, withFaults } from "../kill/fault-store.js";

/** What a receiver in a process of its own is started with; plain JSON. */
export interface ReceiverSettings {
  readonly url: string;
  readonly apiKey: string;
  readonly lake: string;
  readonly address: string;
  readonly scope: string;
  readonly taskQueue: string;
  readonly keys: string;
  readonly secret: string;
  readonly port: number;
  readonly logFile: string;
  readonly faults: readonly StoreFault[];
}

// A receiver to be killed. Its one argument is a JSON file of its settings.
const settings = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as ReceiverSettings;
const keys = parseEncryptionKeys(settings.keys);
const { client } = await connectClient({ address: settings.address, namespace: "default" }, keys);
const { url } = await startReceiver({
  host: "127.0.0.1",
  port: settings.port,
  secrets: [settings.secret],
  mode: "test",
  scope: settings.scope,
  taskQueue: settings.taskQueue,
  client,
  sealed: new SealedStore(withFaults(createLocalStore(settings.lake), settings.faults), createSealer(keys)),
  api: createApiClient({
    baseUrl: settings.url,
    apiKey: settings.apiKey,
    userAgent: "nightledger/test",
    concurrency: 4,
    headersTimeoutMs: 5_000,
    bodyTimeoutMs: 5_000,
    maxBodyBytes: 1 << 20,
  }),
  log: createLogger({ destination: { file: settings.logFile }, level: "info", secrets: [] }).logger,
});
process.stdout.write(`receiving ${url}\n`);
