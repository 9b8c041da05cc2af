import { access, constants, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { InputError, UnreachableError } from "../../domain/failures.js";
import type { TemporalAddress } from "../connection-settings.js";
import { acquireLock } from "./generation-lock.js";
import { isHere, isRunning } from "./process-identity.js";
import {
  endProcess,
  readServerRecord,
  recordOf,
  removeServerRecord,
  type ServerRecord,
  serversOn,
  startServer,
  writeServerRecord,
} from "./server-process.js";
import { becomesReady, clearUnfinishedDatabase, databaseOf, markDatabaseReady } from "./server-readiness.js";
import { isRenewed, keepRenewed } from "./sightings.js";
import { attachSupervisor, type Hold, isHeld, joinPipe, removePipes } from "./supervisor.js";

interface HomeServerOptions {
  /** `NIGHTLEDGER_HOME`; created when missing. */
  readonly home: string;
  /** A `temporal` binary, see `findTemporalCli`. */
  readonly cliPath: string;
  /** Asks for the web UI. A server that other commands use already is left as it is. */
  readonly ui?: boolean | undefined;
  readonly report: (message: string) => void;
  /** Stops waiting; a server started by then is ended again. */
  readonly signal?: AbortSignal | undefined;
}

const EMBEDDED_NAMESPACE = "default";

const HEALTH_DEADLINE_MS = 10_000;

/** The server of a HOME, and this process's hold on it. Every method is called under HOME's lock. */
class HomeServer {
  readonly #options: HomeServerOptions;
  readonly #database: string;
  #hold: Hold | undefined;
  /** Where this process's client and worker are connected; they can't move. */
  #port: number | undefined;

  constructor(options: HomeServerOptions) {
    this.#options = options;
    this.#database = databaseOf(options.home);
  }

  /**
   * Returns the running server, or starts one. Of two servers on one database, the second would corrupt it.
   *
   * @throws UnreachableError when HOME is used on another machine or in another container, or when another program
   * has taken the port of a server that died.
   */
  async ensure(): Promise<ServerRecord> {
    const record = await this.#running();
    this.#port ??= record.port;
    if (record.port === this.#port) return record;
    throw new UnreachableError(
      `another program took its port ${this.#port}, so it runs on ${record.address} now. Give the command again: every run continues there.`,
    );
  }

  async #running(): Promise<ServerRecord> {
    const known = await readServerRecord(this.#options.home);
    if (known !== undefined && !isHere(known)) await this.#refuseElsewhere();
    else if (known !== undefined && isRunning(known) && (await this.#keep(known))) return known;
    return this.#start(known);
  }

  /** Ends this process's hold; ends the server too if no other process holds it. */
  async giveBack(): Promise<void> {
    const { home } = this.#options;
    await this.letGo();
    const record = await readServerRecord(home);
    if (record !== undefined && (!isHere(record) || (await this.#isHeld(record)))) return;
    if (record !== undefined) await endProcess(record);
    await removeServerRecord(home);
    await removePipes(home);
  }

  async letGo(): Promise<void> {
    await this.#take(undefined);
  }

  async #isHeld({ pipe }: ServerRecord): Promise<boolean> {
    return pipe !== undefined && (await isHeld(this.#options.home, pipe));
  }

  /** Holds the running server; false where it hangs or ends. */
  async #keep(known: ServerRecord): Promise<boolean> {
    const { home, report, signal, ui } = this.#options;
    const isNew = this.#hold === undefined;
    if (await this.#isHealthy(known)) {
      if (!(await this.#supervise(known))) return false;
      if (ui && known.ui === undefined && isNew)
        report(
          "Another command began the Temporal server without its web UI. Start this one first to have it.",
        );
      await markDatabaseReady(home);
      return true;
    }
    signal?.throwIfAborted();
    report(`Restarting the Temporal server that was left in HOME (pid ${known.pid}) on the same database.`);
    await endProcess(known);
    return false;
  }

  /** Waits until a record that was written elsewhere turns out to be that of a dead command, as after a reboot. */
  async #refuseElsewhere(): Promise<void> {
    const { home, report, signal } = this.#options;
    const where = `HOME ${home} is used by a Nightledger command on another machine or in another container`;
    report(`${where}; waiting to see whether it still runs.`);
    if (await isRenewed(recordOf(home), signal)) {
      throw new UnreachableError(
        `${where}. Nothing was started. ` +
          "Wait until that command ends, or use a Temporal cluster (TEMPORAL_ADDRESS) that both can reach.",
      );
    }
  }

  async #start(known: ServerRecord | undefined): Promise<ServerRecord> {
    const { home, cliPath, ui, report, signal } = this.#options;
    // Servers whose record was never written, or was deleted by hand.
    for (const stray of serversOn(this.#database)) await endProcess(stray);
    await removeServerRecord(home);
    await removePipes(home);
    await clearUnfinishedDatabase(home);
    try {
      const { record, hold } = await startServer({
        cliPath,
        database: this.#database,
        logFile: join(home, "temporal.log"),
        namespace: EMBEDDED_NAMESPACE,
        preferredPort: this.#port ?? known?.port,
        ui,
        spawned: (record) => writeServerRecord(home, record),
        signal,
      });
      await this.#take(hold);
      await markDatabaseReady(home);
      if (this.#port !== undefined)
        report(
          "The Temporal server had ended; a new one runs on the same database, and every run continues.",
        );
      return record;
    } catch (error) {
      await removeServerRecord(home);
      await removePipes(home);
      throw error;
    }
  }

  /** Ensures that the server ends with its last user, this process included; false where it has ended. */
  async #supervise(known: ServerRecord): Promise<boolean> {
    const { home } = this.#options;
    const { pipe } = known;
    if (pipe !== undefined && this.#hold?.pipe === pipe && (await this.#hold.isHeard())) return true;
    const runs = () => isRunning(known);
    const joined = pipe === undefined ? undefined : await joinPipe(home, pipe, runs);
    if (!runs()) {
      await joined?.release();
      return false;
    }
    const hold = joined ?? (await attachSupervisor(home, known, this.#database));
    await this.#take(hold);
    if (hold.pipe !== pipe) await writeServerRecord(home, { ...known, pipe: hold.pipe });
    return true;
  }

  async #take(hold: Hold | undefined): Promise<void> {
    const before = this.#hold;
    this.#hold = hold;
    await before?.release();
  }

  #isHealthy(record: ServerRecord): Promise<boolean> {
    const { signal } = this.#options;
    return becomesReady(record.address, EMBEDDED_NAMESPACE, {
      deadlineMs: HEALTH_DEADLINE_MS,
      stopped: () => !isRunning(record) || signal?.aborted === true,
    });
  }
}

/** Finds the embedded server of a HOME that runs on this machine now. Starts and holds nothing. */
export async function runningServer(home: string): Promise<TemporalAddress | undefined> {
  const record = await readServerRecord(home);
  if (record === undefined || !isRunning(record)) return undefined;
  return { address: record.address, namespace: EMBEDDED_NAMESPACE };
}

export interface EmbeddedServer {
  readonly address: string;
  readonly namespace: string;
  readonly ui?: string | undefined;
  /**
   * Starts the server again if it died, on the same port.
   *
   * @throws UnreachableError when that can't be.
   */
  ensureRunning(): Promise<void>;
  /** Ends the use; the last one stops the server. Later calls do nothing. */
  release(): Promise<void>;
}

const LOCK_WAIT_MS = 120_000;

/**
 * Uses the Temporal server of a HOME: the one that runs, or a new one on HOME's database
 * (docs/inside/rules.md, "Embedded server"). Everything is decided under HOME's lock, so one database never
 * has two servers, however commands start, end and die.
 *
 * @throws InputError when HOME can't be written; UnreachableError when the server does not start, or HOME is used
 * on another machine or in another container.
 */
export async function acquireEmbeddedServer(given: HomeServerOptions): Promise<EmbeddedServer> {
  const home = await openHome(given.home);
  const options = { ...given, home };
  const server = new HomeServer(options);
  const ensure = () => underLock(options, () => server.ensure());
  const { address, ui } = await ensure().catch(async (error: unknown) => {
    await server.letGo();
    throw error;
  });
  const stopRenewing = keepRenewed(recordOf(home));
  let released: Promise<void> | undefined;
  return {
    address,
    namespace: EMBEDDED_NAMESPACE,
    ui,
    async ensureRunning() {
      await ensure();
    },
    release() {
      released ??= underLock({ ...options, signal: undefined }, async () => {
        await stopRenewing();
        await server.giveBack();
      });
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
      `NIGHTLEDGER_HOME: ${home} can't be created or written (${code ?? "unknown error"}). ` +
        "Nothing was started. Name a writable directory.",
      { cause: error },
    );
  }
}

async function underLock<T>(options: HomeServerOptions, work: () => Promise<T>): Promise<T> {
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
