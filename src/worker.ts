import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Client } from "@temporalio/client";
import type { WorkerDeploymentVersion } from "@temporalio/common";
import { type InjectedSinks, type NativeConnection, Worker } from "@temporalio/worker";
import { createActivities } from "./activities/create-activities.js";
import { HEARTBEAT_EVERY_MS } from "./activities/event-loop.js";
import { startLateWatch } from "./activities/hooks/find-late.js";
import { createApiClient } from "./api/http/client.js";
import type { ApiConfig, ConfigParts } from "./config.js";
import type { HookSettings } from "./domain/hook-settings.js";
import type { LakePlace } from "./domain/lake-address.js";
import { VERSIONED } from "./domain/run.js";
import type { MadeCall } from "./domain/service/made-call.js";
import { type CallLimits, shareOf } from "./domain/service/pace/pacer.js";
import { askerOf } from "./intake/bulk/start.js";
import type { AnyJob } from "./jobs/job.js";
import { lakeAt } from "./lake/lake.js";
import type { ObjectStore } from "./lake/store/object-store.js";
import { SealedStore } from "./lake/store/sealed-store.js";
import type { Logger } from "./logger.js";
import { connectWorker } from "./temporal/connection.js";
import type { TemporalAddress } from "./temporal/connection-settings.js";
import { createSealer } from "./temporal/encryption/cipher.js";
import type { EncryptionKeys } from "./temporal/encryption/keys.js";
import { dataConverter } from "./temporal/encryption/payload-codec.js";
import { sdkMetrics } from "./temporal/metrics.js";
import { installRuntime } from "./temporal/runtime.js";
import { workerIdentity, workerNames } from "./temporal/worker-identity.js";
import { VERSION } from "./version.js";
import type { RunLog } from "./workflows/run-details.js";

interface WorkerSettings {
  readonly api: ApiConfig;
  readonly lake: LakePlace;
  readonly server: TemporalAddress;
  readonly keys: EncryptionKeys;
  readonly taskQueue: string;
  readonly log: Logger;
  readonly hooks?: HookSettings | undefined;
  readonly institution?: ConfigParts["institution"];
  readonly pending?: ConfigParts["pending"];
  /** Beside the embedded server: a killed worker must cost seconds. */
  readonly embedded: boolean;
  /** Default: whatever is in the task queue. */
  readonly version?: WorkerDeploymentVersion | undefined;
  /** Default: the lake's. */
  readonly store?: ObjectStore;
  /** Default: this version's. */
  readonly jobs?: readonly AnyJob[];
}

export interface RunningWorker {
  /** Rejects when the worker failed. */
  readonly done: Promise<void>;
  /** Stops polling, with a cluster waits for running slices, cancels the rest, and releases everything. */
  stop(): Promise<void>;
}

/** About a megabyte each: a run's workflow, its groups and some to spare. */
const CACHED_WORKFLOWS = 200;
const BUNDLE = new URL(
  "./workflow-bundle.js",
  import.meta.url.includes("/dist/") ? new URL("../", import.meta.url) : new URL("../dist/", import.meta.url),
);

/**
 * V8 lets a busy night's garbage grow to 640 MB, of which 100 live; so it collects at half as much again
 * (docs/inside/performance.md).
 */
const HEAP_GROWTH = "--heap-growing-percent=50";

/** For work under way when the worker is to stop: a slice's five seconds, its last answers and its commit. */
const GRACE = "20s";

/** By then every other worker has noticed this one. */
const NOTICED_AFTER_MS = 3_000;

/** Client → lake → activities → worker; released in reverse order. */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const { api, keys, log, server, taskQueue } = settings;
  setFlagsFromString(HEAP_GROWTH);
  installRuntime(log);
  const metrics = sdkMetrics();
  const newFields = newFieldsTo(log);
  const releases: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const step of releases.splice(0).reverse()) await step();
  };
  try {
    const client = createApiClient({
      ...api,
      baseUrl: api.url,
      apiKey: api.key,
      userAgent: `nightledger/${VERSION}`,
      onCall: (call) => {
        metrics.called(call);
        newFields(call);
      },
    });
    releases.push(() => client.close());
    const sealer = createSealer(keys);
    const lake = lakeAt(settings.lake, {
      sealer,
      onCheckpointFailed: (error) =>
        log.warn({ err: error }, "a checkpoint could not be written; the commit is valid"),
      onConflict: metrics.conflicted,
      ...(settings.pending && { pending: settings.pending }),
      ...(settings.store && { store: settings.store }),
    });
    releases.push(() => lake.close());
    const sealed = new SealedStore(lake.store, sealer);
    const connection = await connectWorker(server);
    releases.push(() => connection.close());
    const converter = dataConverter(keys, server.namespace);
    const identity = workerIdentity();
    const { fleet } = api;
    if (fleet && Object.values(fleet).some(Number.isFinite))
      await client.share(fleetShare(settings, fleet, connection, identity));
    const temporal = new Client({ connection, namespace: server.namespace, dataConverter: converter });
    const worker = await Worker.create({
      connection,
      namespace: server.namespace,
      taskQueue,
      identity,
      workflowBundle: settings.version
        ? { code: `globalThis.${VERSIONED}=true;${await readFile(BUNDLE, "utf8")}` }
        : { codePath: fileURLToPath(BUNDLE) },
      activities: createActivities({
        api: client,
        asker: askerOf(api, settings.institution),
        lake,
        sealed,
        log,
        metrics,
        concurrency: api.concurrency,
        ...(!settings.embedded && { worker: hash("sha256", identity).slice(0, 8) }),
        hooks: settings.hooks,
        ...(settings.jobs && { jobs: settings.jobs }),
      }),
      dataConverter: converter,
      sinks: runLogTo(log),
      maxCachedWorkflows: CACHED_WORKFLOWS,
      maxConcurrentActivityTaskExecutions: 100,
      // The SDK would hold heartbeats back for eight of the ten seconds that Temporal waits.
      maxHeartbeatThrottleInterval: HEARTBEAT_EVERY_MS,
      ...(settings.embedded ? { stickyQueueScheduleToStartTimeout: "1s" } : { shutdownGraceTime: GRACE }),
      ...(settings.version && {
        workerDeploymentOptions: {
          version: settings.version,
          useWorkerVersioning: true,
          defaultVersioningBehavior: "PINNED",
        },
      }),
    });
    if (settings.hooks?.lateMs !== undefined) await startLateWatch(temporal, taskQueue);
    const running = worker.run();
    const done = running.finally(release);
    done.catch(() => undefined);
    return {
      done,
      async stop() {
        if (worker.getState() === "RUNNING") worker.shutdown();
        await done.catch(() => undefined);
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Its share of the fleet's limits. */
function fleetShare(
  { api, server, taskQueue, log, embedded }: WorkerSettings,
  fleet: CallLimits,
  connection: NativeConnection,
  identity: string,
): () => Promise<CallLimits> {
  // An embedded server has one worker a lake; in a fleet others may start at the same moment.
  const noticedAt = embedded ? 0 : Date.now() + NOTICED_AFTER_MS;
  const own = { concurrency: api.concurrency, rps: api.rps ?? Number.POSITIVE_INFINITY };
  let last = "";
  return async () => {
    const names = embedded ? [] : await workerNames(connection, server.namespace, taskQueue);
    const workers = new Set([...names, identity]).size;
    const share = shareOf(own, fleet, workers, Date.now() < noticedAt);
    const words = JSON.stringify(share);
    if (words !== last) log.info({ ...share, workers }, "share of the fleet's calls");
    last = words;
    return share;
  };
}

/** Logs each field once that the contract does not have. */
function newFieldsTo(log: Logger): (call: MadeCall) => void {
  const known = new Set<string>();
  return ({ operation, newFields }) => {
    const fields = newFields.filter((field) => !known.has(`${operation} ${field}`));
    for (const field of fields) known.add(`${operation} ${field}`);
    if (fields.length > 0) log.warn({ operation, fields }, "the service's answer has new fields");
  };
}

function runLogTo(log: Logger): InjectedSinks<RunLog> {
  return {
    runLog: {
      info: { fn: (_, fields, message) => log.info(fields, message) },
      warn: { fn: (_, fields, message) => log.warn(fields, message) },
    },
  };
}
