import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";
import { type SandboxOptions, startSandbox } from "../../../sandbox/index.js";
import type { OnboardingDependencies } from "../../../src/activities/onboarding/dependencies.js";
import { RunWarnings } from "../../../src/activities/run-warnings.js";
import type { SyncDependencies } from "../../../src/activities/sync/dependencies.js";
import { readSlice } from "../../../src/activities/sync/read/read-slice.js";
import { createApiClient } from "../../../src/api/http/client.js";
import type { RosterRow } from "../../../src/domain/sync/job.js";
import type { ReadSliceInput, ReadSliceResult } from "../../../src/domain/sync/run/slice-work.js";
import { openLake } from "../../../src/lake/lake.js";
import { FrozenBatches } from "../../../src/lake/onboarding/frozen-batch.js";
import { OpenCustomers } from "../../../src/lake/onboarding/open-customers.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { freezeRoster, GROUP_SIZE } from "../../../src/lake/sync/frozen-roster.js";
import { readValue } from "../../../src/lake/sync/journal/journal.js";
import type { SliceReport } from "../../../src/lake/sync/journal/report.js";
import { createLogger } from "../../../src/logger.js";
import { STREAMS } from "../../../src/streams/index.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { TEST_KEYS } from "./temporal-environment.js";

/** Failures of activities are what the tests look at: the SDK need not print them. */
export const SILENT = new DefaultLogger("ERROR", () => undefined);

export interface SliceGiven extends Partial<ReadSliceInput> {
  readonly attempt?: number;
  /** What it works with in the bench's stead. */
  readonly deps?: SyncDependencies;
}

export interface ReadSlice extends ReadSliceResult {
  /** Empty where the slice has none. */
  readonly parsed: SliceReport;
}

const NO_REPORT: SliceReport = { observed: [], ended: [], finished: [], waiting: [] };

export function linesOf(logFile: string): Record<string, unknown>[] {
  return readFileSync(logFile, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

export type ActivityBench = Awaited<ReturnType<typeof openActivityBench>>;

/** Activities on real parts, without a Temporal server: a stand-in, a client, a lake. */
export async function openActivityBench(options?: SandboxOptions) {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-activity-"));
  const sandbox = await startSandbox(options);
  const api = createApiClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    concurrency: 4,
    userAgent: "nightledger/test",
    headersTimeoutMs: 2_000,
    bodyTimeoutMs: 2_000,
    maxBodyBytes: 1 << 24,
  });
  const sealer = createSealer(TEST_KEYS);
  const lake = openLake({ directory: join(directory, "lake"), sealer });
  const logFile = join(directory, "log");
  const log = createLogger({ destination: { file: logFile }, level: "info", secrets: [] });
  const sealed = new SealedStore(lake.store, sealer);
  const deps: SyncDependencies & OnboardingDependencies = {
    api,
    lake,
    sealed,
    streams: STREAMS,
    batches: new FrozenBatches(sealed),
    open: new OpenCustomers(sealed),
    log: log.logger,
    warnings: new RunWarnings(log.logger),
    concurrency: 4,
  };
  const run = <R>(work: () => Promise<R>, attempt = 1): Promise<R> =>
    new MockActivityEnvironment({ attempt }, { logger: SILENT }).run(work);
  let users = 0;
  return {
    sandbox,
    deps,
    async freeze(rows: readonly RosterRow[], runId = "run") {
      users = rows.length;
      await freezeRoster(lake.store, runId, rows);
    },
    /** Reads a slice: unless said otherwise, all users that were frozen, with their accounts and transactions. */
    async read({ attempt = 1, deps: own = deps, ...given }: SliceGiven = {}): Promise<ReadSlice> {
      const input: ReadSliceInput = {
        ...{ runId: "run", slice: 0, groupSize: GROUP_SIZE, streams: ["accounts", "transactions"] },
        ...{ links: [], waiting: [], users: [], fresh: { from: 0, to: users } },
        ...{ only: null, full: false, pageSize: 500, size: 10, budgetMs: 5_000 },
        ...given,
      };
      const result = await run(() => readSlice(own, input), attempt);
      const place = result.report?.place;
      const parsed = place && (await readValue<SliceReport>(lake.store, input.runId, place));
      return { ...result, parsed: parsed ?? NO_REPORT };
    },
    run,
    logged: () => linesOf(logFile),
    async close() {
      log.close();
      await lake.close();
      await api.close();
      await sandbox.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
