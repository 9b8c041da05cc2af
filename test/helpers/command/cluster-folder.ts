import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import { scopeOf } from "../../../src/config.js";
import { taskQueue } from "../../../src/domain/run.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { createLogger } from "../../../src/logger.js";
import { startWorker } from "../../../src/worker.js";
import { clusterEnv, TEST_KEYS, type TestTemporal } from "../temporal/temporal-environment.js";
import { type JobFolder, openJobFolder } from "./job-folder.js";

const API = { concurrency: 8, rps: undefined, headersTimeoutMs: 30_000, bodyTimeoutMs: 60_000 };

/** Opens a folder whose commands use a cluster, with a worker for it in the test's process. */
export async function openClusterFolder(sandbox: Sandbox, temporal: TestTemporal): Promise<JobFolder> {
  const folder = await openJobFolder(sandbox, {
    ...clusterEnv(temporal),
  });
  const destination = { file: join(folder.directory, "worker.log") };
  const log = createLogger({ destination, level: "info", secrets: [sandbox.apiKey] });
  const worker = await startWorker({
    api: { ...API, url: sandbox.url, key: sandbox.apiKey, maxBodyBytes: 2 ** 25 },
    lake: { address: folder.lake, scratch: { directory: join(folder.directory, "scratch"), mostBytes: 0 } },
    server: temporal,
    keys: TEST_KEYS,
    taskQueue: taskQueue(scopeOf(sandbox.url, createLocalStore(folder.lake).address)),
    log: log.logger,
    embedded: true,
  });
  return {
    ...folder,
    async release() {
      await worker.stop();
      log.close();
      await folder.release();
    },
  };
}
