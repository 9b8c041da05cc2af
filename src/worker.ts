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
  /** A worker beside the embedded server: a killed one must cost seconds, not minutes. */
  readonly embedded: boolean;
  /** The version of a deployment that the worker is of; left out: it takes whatever is in the task queue. */
  readonly version?: WorkerDeploymentVersion | undefined;
  /** Left out: that of the lake's place. */
  readonly store?: ObjectStore;
  /** Kinds of bulk jobs; left out: this version's. */
  readonly jobs?: readonly AnyJob[];
}

export interface RunningWorker {
  /** Resolves when the worker has stopped; rejects when it failed. */
  readonly done: Promise<void>;
  /**
   * Stops polling, waits with a cluster until running slices have ended, cancels what still runs, and releases
   * everything; no call is sent afterwards.
   */
  stop(): Promise<void>;
}

/** About a megabyte each: a run's own workflow, its groups and some to spare. */
const CACHED_WORKFLOWS = 200;
const BUNDLE = new URL(
  "./workflow-bundle.js",
  import.meta.url.includes("/dist/") ? new URL("../", import.meta.url) : new URL("../dist/", import.meta.url),
);

/**
 * By itself V8 lets the garbage of a busy night grow to several times of what lives: 640 MB in a night of 20,000 links,
 * of which 100 live. So it collects when half as much has come on top (docs/inside/performance.md).
 */
const HEAP_GROWTH = "--heap-growing-percent=50";

/**
 * With a cluster, how long work that has begun may still take once the worker is to stop: a slice's five seconds of
 * reading, its last answers and its commit.
 */
const GRACE = "20s";

/** By then each of the other workers that make calls has looked who works. */
const NOTICED_AFTER_MS = 3_000;

/** The composition root: client → lake → activities → worker; released in reverse order. */
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
      // The SDK would hold them back for eight of the ten seconds after which Temporal takes the worker for dead.
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

/** What this worker may do now: its share of what the workers of its task queue may do together. */
function fleetShare(
  { api, server, taskQueue, log, embedded }: WorkerSettings,
  fleet: CallLimits,
  connection: NativeConnection,
  identity: string,
): () => Promise<CallLimits> {
  // Beside an embedded server there is one worker for a lake; others may have begun at the same moment.
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

/** Names each field once that an answer has and the contract does not. */
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
