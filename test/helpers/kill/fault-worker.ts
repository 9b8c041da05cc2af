import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { createLogger } from "../../../src/logger.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { startWorker } from "../../../src/worker.js";
import { type StoreFault, withFaults } from "./fault-store.js";

// A worker in a process of its own over a store with faults, so that it can be killed at one exact step.
// Its one argument is a JSON file: settings of `startWorker`, keys as text, `faults`, `logFile`.
const settings = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const log = createLogger({ destination: { file: settings.logFile }, level: "info", secrets: [] });
const worker = await startWorker({
  ...settings,
  lake: {
    address: settings.lake,
    scratch: { directory: join(dirname(settings.logFile), "scratch"), mostBytes: 2 ** 30 },
  },
  keys: parseEncryptionKeys(settings.keys),
  log: log.logger,
  store: withFaults(createLocalStore(settings.lake), settings.faults as StoreFault[]),
});
process.stdout.write("working\n");
process.once("SIGTERM", () => void worker.stop());
await worker.done;
await log.close();
