import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { behavioursOf, type NewEvent, type SandboxOptions, startSandbox } from "../../../sandbox/index.js";
import { type ApiConfig, scopeOf } from "../../../src/config.js";
import type { HookSettings } from "../../../src/domain/hook-settings.js";
import { taskQueue } from "../../../src/domain/run.js";
import type { RosterRow, SyncOptions } from "../../../src/domain/sync/job.js";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import { rosterOf } from "../../../src/intake/sync/roster-file.js";
import { startSync } from "../../../src/intake/sync/start.js";
import type { AnyJob } from "../../../src/jobs/job.js";
import { openQuery } from "../../../src/lake/query/query.js";
import type { JsonValue } from "../../../src/lake/sql/duckdb-values.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { openStore } from "../../../src/lake/store/open-store.js";
import { createLogger } from "../../../src/logger.js";
import { TABLES } from "../../../src/tables.js";
import { type RunningWorker, startWorker } from "../../../src/worker.js";
import { startRecordingProxy } from "../stand-in/recording-proxy.js";
import { bucketForLake } from "../store/shared-bucket.js";
import { TEST_KEYS, type TestTemporal } from "../temporal/temporal-environment.js";

export type Row = Readonly<Record<string, JsonValue>>;

/** What a test may choose of a run; users default to everyone in the world. */
export type RunChoice = Partial<SyncOptions> & { readonly users?: readonly (string | RosterRow)[] };

export interface WorldOptions {
  readonly sandbox?: SandboxOptions;
  readonly api?: Partial<ApiConfig>;
  /** Without a recording proxy, where nothing is to be recorded but a lot is to be read. */
  readonly direct?: boolean;
  /** Wraps the store of the worker, to fail or to wait at a step. */
  readonly store?: (store: ObjectStore) => ObjectStore;
  /** The lake's path below the test's own directory. */
  readonly lake?: string;
  /** Kinds of bulk jobs that the worker knows, where they are not the product's. */
  readonly jobs?: readonly AnyJob[];
  /** Whom the worker tells of runs. */
  readonly hooks?: HookSettings;
}

const API: Omit<ApiConfig, "url" | "key"> = {
  concurrency: 8,
  rps: undefined,
  // No request is given up because the machine is slow, or because the stand-in holds it.
  headersTimeoutMs: 120_000,
  bodyTimeoutMs: 120_000,
  maxBodyBytes: 32 * 1024 * 1024,
};

/** In the project `real` the stand-in differs from the contract, but for what changes results or takes minutes. */
export const BEHAVES = new Set(behavioursOf(process.env.TEST_BEHAVES ?? "contract"));
for (const name of ["refused-link", "limits"] as const) BEHAVES.delete(name);

const SCRATCH_BYTES = 1024 * 1024 * 1024;

export type SyncWorld = Awaited<ReturnType<typeof openSyncWorld>>;

/** A stand-in, a lake and a worker of one test. */
export async function openSyncWorld(temporal: TestTemporal, options: WorldOptions = {}) {
  const releases: (() => unknown)[] = [];
  const close = async () => {
    for (const release of releases.splice(0).reverse()) await release();
  };
  try {
    const base = await mkdtemp(join(tmpdir(), "nightledger-sync-"));
    releases.push(() => rm(base, { recursive: true, force: true }));
    const sandbox = await startSandbox({ behaves: BEHAVES, ...options.sandbox });
    releases.push(() => sandbox.close());
    const proxy = options.direct ? undefined : await startRecordingProxy(sandbox.url);
    releases.push(() => proxy?.close());
    const url = proxy?.url ?? sandbox.url;
    const bucket = await bucketForLake();
    const lake = bucket?.directory ?? join(base, options.lake ?? "lake");
    const address = bucket?.address ?? lake;
    const placeOf = (machine: string) => ({
      address,
      scratch: { directory: join(base, machine), mostBytes: SCRATCH_BYTES },
    });
    const store = openStore(placeOf("test"));
    const scope = scopeOf(url, store.address);
    const logFile = join(base, "worker.log");
    const log = createLogger({ destination: { file: logFile }, level: "info", secrets: [sandbox.apiKey] });
    releases.push(() => log.close());
    const tables = new Set([...TABLES, ...(options.jobs ?? []).flatMap((job) => job.tables)]);
    const query = openQuery(store, { scratchDirectory: join(base, "query"), tables: [...tables] });
    releases.push(() => query.close());
    const { client } = await temporal.client();
    const workers: RunningWorker[] = [];
    const stopWorker = async () => {
      for (const worker of workers.splice(0)) await worker.stop();
    };
    releases.push(stopWorker);
    const start = (choice?: RunChoice) =>
      startSync(client, store, {
        scope,
        taskQueue: taskQueue(scope),
        roster: rosterOf(
          (choice?.users ?? [...sandbox.world.users.keys()]).map((user) =>
            typeof user === "string" ? { fp_id: user } : user,
          ),
        ),
        options: optionsOf(choice),
      });
    const startAWorker = async () => {
      const worker = await startWorker({
        api: { ...API, url, key: sandbox.apiKey, ...options.api },
        lake: placeOf(`machine-${workers.length}`),
        server: temporal,
        keys: TEST_KEYS,
        taskQueue: taskQueue(scope),
        log: log.logger,
        embedded: bucket === undefined,
        ...(options.store && { store: options.store(store) }),
        ...(options.jobs && { jobs: options.jobs }),
        ...(options.hooks && { hooks: options.hooks }),
      });
      workers.push(worker);
      return worker;
    };
    await startAWorker();
    // Two that share nothing else race for the bucket.
    if (bucket) await startAWorker();
    return {
      sandbox,
      lake,
      store,
      client,
      scope,
      /** Answers of the service to sync calls. */
      answers: proxy?.answers ?? [],
      start,
      async sync(choice?: RunChoice) {
        const { handle, runId } = await start(choice);
        const result = (await handle.result()) as SyncSummary;
        return { runId, workflowId: handle.workflowId, result };
      },
      /** Values are text where a JSON number is not exact. */
      async rows(sql: string) {
        const found: Row[] = [];
        for await (const batch of query.query(sql)) found.push(...batch);
        return found;
      },
      stopWorker,
      /** Starts the worker, or another beside it. */
      startWorker: startAWorker,
      log: () => readFile(logFile, "utf8"),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function optionsOf({ streams, links, full, pageSize }: RunChoice = {}): SyncOptions {
  return {
    streams: streams ?? ["accounts", "bank_links", "transactions"],
    links: links ?? null,
    full: full ?? false,
    pageSize: pageSize ?? 500,
  };
}

/** Raw JSON of a row served as it is written here. */
export function rawRow(id: string, fields: Readonly<Record<string, string>> = {}): string {
  const values: Record<string, string> = {
    transaction_id: JSON.stringify(id),
    account_id: '"acc_1"',
    amount: '"12.34"',
    currency: '"USD"',
    date: '"2026-11-01"',
    type: '"debit"',
    pending: "false",
    ...fields,
  };
  return `{${Object.entries(values)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(",")}}`;
}

/** A created event of a raw row. */
export function createdRaw(id: string, fields: Readonly<Record<string, string>> = {}): NewEvent {
  return { change: "created", raw: rawRow(id, fields), id };
}
