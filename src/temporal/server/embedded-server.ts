import { access, constants, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../domain/failures.js";
import { acquireLock } from "./generation-lock.js";
import { liveLeases, removeLease, writeLease } from "./leases.js";
import { isRunning } from "./process-identity.js";
import { clearUnfinishedDatabase, databaseOf, markDatabaseReady } from "./server-database.js";
import { endProcess, serversOn, startServer } from "./server-process.js";
import { becomesReady } from "./server-readiness.js";
import {
  readServerRecord,
  removeServerRecord,
  type ServerRecord,
  writeServerRecord,
} from "./server-record.js";

/** How to use the embedded server of a HOME. */
export interface EmbeddedOptions {
  /** `NIGHTLEDGER_HOME`; made when it is not there. */
  readonly home: string;
  /** A `temporal` binary, see `findTemporalCli`. */
  readonly cliPath: string;
  /** Asks for the web UI. A server that other commands use already is left as it is. */
  readonly ui?: boolean | undefined;
  readonly report: (message: string) => void;
  /** Gives up waiting; what was started by then is ended again. */
  readonly signal?: AbortSignal | undefined;
}

/** A command's hold on the embedded server. */
export interface EmbeddedServer {
  readonly address: string;
  readonly namespace: string;
  /** Address of the web UI, when the server has one. */
  readonly ui?: string | undefined;
  /** Starts the server again if it died, on the same port where that is free; returns its address. */
  ensureRunning(): Promise<string>;
  /** Gives the hold back; the last one stops the server. Later calls do nothing. */
  release(): Promise<void>;
}

/** The namespace of every embedded server. */
export const EMBEDDED_NAMESPACE = "default";

const LOCK_WAIT_MS = 120_000;
const HEALTH_DEADLINE_MS = 10_000;

/**
 * Uses the Temporal server of a HOME: the one that runs, or a new one on HOME's database
 * (docs/architecture.md, "Embedded server"). Everything is decided under HOME's lock, so however commands
 * start, end and die, one database never has two servers.
 *
 * @throws InputError when HOME can't be written; UnreachableError when the server does not start.
 */
export async function acquireEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const home = await openHome(options.home);
  const held = { ...options, home };
  let lease = "";
  const record = await underLock(held, async () => {
    const others = await liveLeases(home);
    // Written before the server is looked at: killed from here on, the next command clears it away.
    lease = await writeLease(home);
    try {
      return await ensureServer(held, others.length > 0);
    } catch (error) {
      await removeLease(lease);
      throw error;
    }
  });
  let released: Promise<void> | undefined;
  return {
    address: record.address,
    namespace: EMBEDDED_NAMESPACE,
    ui: record.ui,
    ensureRunning: async () => (await underLock(held, () => ensureServer(held, true))).address,
    release: () => {
      released ??= underLock({ ...held, signal: undefined }, () => giveBack(home, lease));
      return released;
    },
  };
}

async function openHome(home: string): Promise<string> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await access(home, constants.W_OK);
    return await realpath(home);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InputError(
      `NIGHTLEDGER_HOME: ${home} can't be made or written (${code ?? "unknown error"}). ` +
        "Nothing was started. Name a directory that can be written.",
      { cause: error },
    );
  }
}

async function underLock<T>(options: EmbeddedOptions, work: () => Promise<T>): Promise<T> {
  const unlock = await acquireLock(join(options.home, "lock"), {
    guards: `HOME ${options.home}`,
    waitMs: LOCK_WAIT_MS,
    report: options.report,
    signal: options.signal,
  });
  try {
    return await work();
  } finally {
    await unlock();
  }
}

async function ensureServer(options: EmbeddedOptions, shared: boolean): Promise<ServerRecord> {
  const { home, report } = options;
  const known = await readServerRecord(home);
  if (known !== undefined && isRunning(known)) {
    const lacksUi = options.ui === true && known.ui === undefined;
    if (!(lacksUi && !shared) && (await isHealthy(known, options.signal))) {
      if (lacksUi) report("The Temporal server is in use by another command and has no web UI.");
      await markDatabaseReady(home);
      return known;
    }
    options.signal?.throwIfAborted();
    report(`Ending the Temporal server left in HOME (pid ${known.pid}) to start it again on its database.`);
    await endProcess(known);
  }
  const database = databaseOf(home);
  // A server whose record was never written, or was deleted by hand.
  for (const stray of serversOn(database)) await endProcess(stray);
  await removeServerRecord(home);
  await clearUnfinishedDatabase(home);
  try {
    const record = await startServer({
      cliPath: options.cliPath,
      database,
      logFile: join(home, "temporal.log"),
      namespace: EMBEDDED_NAMESPACE,
      preferredPort: known?.port,
      ui: options.ui,
      spawned: (record) => writeServerRecord(home, record),
      signal: options.signal,
    });
    await markDatabaseReady(home);
    return record;
  } catch (error) {
    await removeServerRecord(home);
    throw error;
  }
}

function isHealthy(record: ServerRecord, signal: AbortSignal | undefined): Promise<boolean> {
  return becomesReady(record.address, EMBEDDED_NAMESPACE, {
    deadlineMs: HEALTH_DEADLINE_MS,
    stopped: () => !isRunning(record) || signal?.aborted === true,
  });
}

async function giveBack(home: string, lease: string): Promise<void> {
  await removeLease(lease);
  if ((await liveLeases(home)).length > 0) return;
  const record = await readServerRecord(home);
  if (record !== undefined) await endProcess(record);
  await removeServerRecord(home);
}
