import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import { UnreachableError } from "../../domain/failures.js";
import type { Logger } from "../../logger.js";
import { findTemporalCli } from "../../temporal/cli/cli-binary.js";
import { connectClient } from "../../temporal/connection.js";
import type { TemporalAddress } from "../../temporal/connection-settings.js";
import type { EncryptionKeys } from "../../temporal/encryption/keys.js";
import { acquireEmbeddedServer, runningServer } from "../../temporal/server/embedded-server.js";
import { acquireLock } from "../../temporal/server/file-lock.js";
import { type RunningWorker, startWorker } from "../../worker.js";
import { Releases } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import type { JobConfig, Preflight } from "./preflight.js";

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

export interface EmbeddedUse {
  /** With its web UI. */
  readonly ui?: boolean;
  /** False where this process is not to work on its runs. */
  readonly worker?: boolean;
}

interface SessionOptions extends EmbeddedUse {
  readonly terminal: Terminal;
  readonly preflight: Preflight;
  readonly keys: EncryptionKeys;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const WATCH_EVERY_MS = 1_000;

/**
 * Connects to the cluster, or brings up the embedded server and a worker
 * (docs/inside/rules.md, "Embedded server").
 */
export async function openTemporal(options: SessionOptions): Promise<TemporalSession> {
  const releases = new Releases();
  try {
    const { settings: server } = options.preflight;
    if (server.mode === "embedded") return await embedded(options, releases);
    const { client, close } = await connectClient(server, options.keys);
    const lost = new Promise<never>(() => undefined);
    return { client, embedded: false, server, ui: undefined, lost, close };
  } catch (error) {
    await releases.run().catch(() => undefined);
    throw error;
  }
}

async function embedded(options: SessionOptions, releases: Releases): Promise<TemporalSession> {
  const { terminal, preflight, signal } = options;
  const home = preflight.config.home.path;
  const report = (message: string) => terminal.say(message);
  if ((await runningServer(home)) === undefined) report("starting Temporal…");
  const cli = await installedCli(terminal, preflight, signal);
  const held = await acquireEmbeddedServer({ home, cliPath: cli.path, ui: options.ui, report, signal });
  releases.add(() => held.release());
  const server = { address: held.address, namespace: held.namespace };
  const { client, close } = await connectClient(server, options.keys);
  releases.add(close);
  // A worker would continue whatever an earlier command left.
  signal.throwIfAborted();
  const { keys, log } = options;
  const start = () => startWorker({ ...workerSettings(preflight, keys, log), server, embedded: true });
  const place = join(home, `worker-${preflight.taskQueue}.lock`);
  const worker = options.worker === false ? undefined : await takeWorkerTurn(place, start);
  releases.add(() => worker?.stop());
  const watch = watchServer(() => held.ensureRunning(), report, signal);
  releases.add(watch.stop);
  const lost = worker === undefined ? watch.lost : Promise.race([watch.lost, worker.lost]);
  lost.catch(() => undefined);
  return { client, embedded: true, server, ui: held.ui, lost, close: () => releases.run() };
}

/** Restarts the embedded server when something killed it: its workflows continue. */
function watchServer(
  ensureRunning: () => Promise<void>,
  report: (message: string) => void,
  signal: AbortSignal,
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
        if (signal.aborted) return;
        report(
          `The embedded Temporal server died and could not be started again here: ${(error as Error).message}`,
        );
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

export function workerSettings({ config, taskQueue }: Preflight, keys: EncryptionKeys, log: Logger) {
  const { api, hooks, institution, pending, lake } = config;
  return { api, hooks, institution, pending, lake, keys, taskQueue, log };
}

/** The Temporal CLI that the embedded server is started with, found or installed. */
export function installedCli(
  { env, say }: Terminal,
  { config }: JobConfig,
  signal: AbortSignal,
): ReturnType<typeof findTemporalCli> {
  return findTemporalCli({ env: { ...config.temporal.env, ...env }, report: say, signal });
}

/** A process's place in the line of those that may be the worker of a HOME and a task queue. */
interface WorkerTurn {
  readonly lost: Promise<never>;
  /** Stops the worker where this process is it, and lets the next one begin. */
  stop(): Promise<void>;
}

const POLL_MS = 250;
/** How often to try to start the worker: the server may be restarting when the turn comes. */
const MOST_STARTS = 30;
const START_AGAIN_MS = 1_000;

/**
 * Starts the worker in only one process of a HOME, and in the next when that one ends or is killed, because the limits
 * of the service are kept within a process (docs/inside/decisions/0023-one-worker-a-home.md). A process that Ctrl-Z
 * suspends gives its turn to one that runs.
 *
 * @throws the error of the start, if it is this process's turn at once.
 */
async function takeWorkerTurn(
  lockDirectory: string,
  start: () => Promise<RunningWorker>,
): Promise<WorkerTurn> {
  const over = new AbortController();
  const wait = { guards: "the worker", report: () => undefined, signal: over.signal };
  const takeLock = (waitMs: number) => acquireLock(lockDirectory, { ...wait, waitMs, pollMs: POLL_MS });
  const begin = async (unlock: () => Promise<void>) => {
    const suspend = () => void unlock().finally(() => process.kill(process.pid, "SIGSTOP"));
    process.on("SIGTSTP", suspend);
    const release = () => {
      process.off("SIGTSTP", suspend);
      return unlock();
    };
    const worker = await start().catch(async (error: unknown) => {
      await release();
      throw error;
    });
    const done = worker.done.finally(release);
    done.catch(() => undefined);
    return { worker, done };
  };
  const free = await takeLock(0).catch((error: unknown) => {
    if (!(error instanceof UnreachableError)) throw error;
    return undefined;
  });
  const waitForTurn = async () => {
    for (let starts = 1; ; starts += 1) {
      const release = await takeLock(Number.POSITIVE_INFINITY);
      try {
        return await begin(release);
      } catch (error) {
        if (starts === MOST_STARTS) throw error;
        await sleep(START_AGAIN_MS, undefined, { signal: over.signal });
      }
    }
  };
  const turn = free === undefined ? waitForTurn() : begin(free);
  if (free !== undefined) await turn;
  const lost = turn
    .then(({ done }) => done)
    .catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    })
    .then(() => new Promise<never>(() => undefined));
  lost.catch(() => undefined);
  return {
    lost,
    async stop() {
      over.abort(new Error("the command ends"));
      const begun = await turn.catch(() => undefined);
      await begun?.worker.stop();
      await begun?.done.catch(() => undefined);
    },
  };
}
