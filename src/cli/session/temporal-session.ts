import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import type { AlertConfig, ApiConfig } from "../../config.js";
import type { Logger } from "../../logger.js";
import { findTemporalCli } from "../../temporal/cli/cli-binary.js";
import { connectClient } from "../../temporal/connection.js";
import type { TemporalAddress, TemporalSettings } from "../../temporal/connection-settings.js";
import type { EncryptionKeys } from "../../temporal/encryption/keys.js";
import { acquireEmbeddedServer } from "../../temporal/server/embedded-server.js";
import { runningServer } from "../../temporal/server/running-server.js";
import { startWorker } from "../../worker.js";
import { Releases } from "../terminal/releases.js";
import { takeWorkerTurn, type WorkerTurn } from "./worker-turn.js";

/** A command's connection to Temporal: a client, and in embedded mode the server and a worker in this process. */
export interface TemporalSession {
  readonly client: Client;
  readonly embedded: boolean;
  readonly server: TemporalAddress;
  /** Address of the embedded server's web UI, where it was asked for. */
  readonly ui: string | undefined;
  /** Rejects when the worker or the embedded server is lost for good. */
  readonly lost: Promise<never>;
  close(): Promise<void>;
}

interface SessionOptions {
  readonly settings: TemporalSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly keys: EncryptionKeys;
  readonly api: ApiConfig;
  readonly alerts: AlertConfig;
  readonly lake: string;
  readonly taskQueue: string;
  readonly log: Logger;
  readonly ui?: boolean;
  /** Left out: whether this process may be the one that works on the runs of an embedded server. */
  readonly worker?: boolean;
  readonly report: (message: string) => void;
  readonly signal?: AbortSignal;
}

const WATCH_EVERY_MS = 1_000;

/**
 * Connects to the cluster, or brings up the embedded server and a worker
 * (docs/inside/architecture.md, "Embedded server").
 */
export async function openTemporal(options: SessionOptions): Promise<TemporalSession> {
  const releases = new Releases();
  try {
    return options.settings.mode === "cluster"
      ? await cluster(options, options.settings, releases)
      : await embedded(options, releases);
  } catch (error) {
    await releases.run().catch(() => undefined);
    throw error;
  }
}

async function cluster(
  options: SessionOptions,
  server: TemporalAddress,
  releases: Releases,
): Promise<TemporalSession> {
  const { client, close } = await connectClient(server, options.keys);
  releases.add(close);
  const lost = new Promise<never>(() => undefined);
  return { client, embedded: false, server, ui: undefined, lost, close: () => releases.run() };
}

async function embedded(options: SessionOptions, releases: Releases): Promise<TemporalSession> {
  const { env, home, report, signal } = options;
  if ((await runningServer(home)) === undefined) report("starting Temporal…");
  const cli = await findTemporalCli({ env, report, ...(signal && { signal }) });
  const held = await acquireEmbeddedServer({ home, cliPath: cli.path, ui: options.ui, report, signal });
  releases.add(() => held.release());
  const server = { address: held.address, namespace: held.namespace };
  const { client, close } = await connectClient(server, options.keys);
  releases.add(close);
  // A worker would continue whatever an earlier command left.
  signal?.throwIfAborted();
  const worker = options.worker === false ? undefined : await beginWorker(options, server, releases);
  const watch = watchServer(() => held.ensureRunning(), report, signal);
  releases.add(watch.stop);
  const lost = worker === undefined ? watch.lost : Promise.race([watch.lost, worker.lost]);
  lost.catch(() => undefined);
  return { client, embedded: true, server, ui: held.ui, lost, close: () => releases.run() };
}

/** Makes this process the worker when its turn comes. */
async function beginWorker(
  { api, alerts, home, lake, keys, taskQueue, log }: SessionOptions,
  server: TemporalAddress,
  releases: Releases,
): Promise<WorkerTurn> {
  const turn = await takeWorkerTurn(join(home, `worker-${taskQueue}`), () =>
    startWorker({ api, alerts, lake, server, keys, taskQueue, log, embedded: true }),
  );
  releases.add(() => turn.stop());
  return turn;
}

/** Restarts the embedded server when something killed it: its workflows continue. */
function watchServer(
  ensureRunning: () => Promise<string>,
  report: (message: string) => void,
  signal: AbortSignal | undefined,
) {
  const over = new AbortController();
  const watch = async () => {
    for (;;) {
      await sleep(WATCH_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      try {
        await ensureRunning();
      } catch (error) {
        // The check was interrupted; the server is not lost.
        if (signal?.aborted) return;
        report(`The embedded Temporal server died and could not be restarted: ${(error as Error).message}`);
        throw error;
      }
    }
  };
  const watched = watch();
  const lost = watched.then(() => new Promise<never>(() => undefined));
  const stop = async () => {
    over.abort();
    await watched.catch(() => undefined);
  };
  return { lost, stop };
}

/** Says where logs go: into a file in HOME in embedded mode, to standard error with a cluster. */
export function logDestination(settings: TemporalSettings, home: string): "stderr" | { file: string } {
  return settings.mode === "embedded" ? { file: join(home, "nightledger.log") } : "stderr";
}
