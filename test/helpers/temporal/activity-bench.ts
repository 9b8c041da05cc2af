import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../sandbox/index.js";
import type { OnboardingDependencies } from "../../../src/activities/onboarding/dependencies.js";
import { RunWarnings } from "../../../src/activities/run-warnings.js";
import type { SyncDependencies } from "../../../src/activities/sync/dependencies.js";
import type { GroupPlan, GroupRef, PlannedLink } from "../../../src/activities/sync/group-plan.js";
import { createApiClient } from "../../../src/api/http/client.js";
import { openLake } from "../../../src/lake/lake.js";
import { FrozenBatches } from "../../../src/lake/onboarding/frozen-batch.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createLogger } from "../../../src/logger.js";
import { STREAMS } from "../../../src/streams/index.js";
import { createSealer } from "../../../src/temporal/encryption/sealer.js";
import { TEST_KEYS } from "./temporal-environment.js";

/** Failures of activities are what the tests look at: the SDK need not print them. */
export const SILENT = new DefaultLogger("ERROR", () => undefined);

/** Activities on real parts, without a Temporal server: a stand-in, a client, a lake. */
export interface ActivityBench {
  readonly sandbox: Sandbox;
  readonly deps: SyncDependencies & OnboardingDependencies;
  readonly ref: GroupRef;
  /** Stages the plan of the group. */
  plan(...links: readonly PlannedLink[]): Promise<void>;
  /** Runs an activity as its n-th attempt. */
  run<R>(work: () => Promise<R>, attempt?: number): Promise<R>;
  /** Lines of the log so far. */
  logged(): Record<string, unknown>[];
  close(): Promise<void>;
}

/** What a log file has so far. */
export function linesOf(logFile: string): Record<string, unknown>[] {
  return readFileSync(logFile, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** A link of user `fp_1` that was never committed. */
export function newLink(link_id: string): PlannedLink {
  return { link_id, fp_id: "fp_1", obstacle: null, base: null };
}

/** Starts the parts of one test. */
export async function openActivityBench(options?: SandboxOptions): Promise<ActivityBench> {
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
  const lake = openLake({ directory: join(directory, "lake") });
  const logFile = join(directory, "log");
  const log = createLogger({ destination: { file: logFile }, level: "info", secrets: [] });
  const sealed = new SealedStore(lake.store, createSealer(TEST_KEYS));
  const deps = {
    api,
    lake,
    sealed,
    streams: STREAMS,
    batches: new FrozenBatches(sealed),
    log: log.logger,
    warnings: new RunWarnings(log.logger),
    concurrency: 4,
  };
  const ref = { runId: "run", group: "g0", plan: "g0/plan" };
  return {
    sandbox,
    deps,
    ref,
    plan: (...links) =>
      lake.staging.putDocument(ref.runId, ref.plan, {
        links,
        started_at: new Date(0).toISOString(),
      } satisfies GroupPlan),
    run: (work, attempt = 1) => new MockActivityEnvironment({ attempt }, { logger: SILENT }).run(work),
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
