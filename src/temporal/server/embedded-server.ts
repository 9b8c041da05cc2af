import { access, constants, mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError, UnreachableError } from "../../domain/failures.js";
import type { TemporalAddress } from "../connection-settings.js";
import { FileLock, isLocked } from "./file-lock.js";
import { HOST } from "./server-ports.js";
import { type ServerProcess, startServer } from "./server-process.js";
import { becomesReady, clearUnfinishedDatabase, databaseOf, markDatabaseReady } from "./server-readiness.js";

/**
 * The embedded server (docs/inside/rules.md, "Embedded server"). A command that needs it takes the lock of HOME and
 * runs the server as its child, or finds the lock taken and uses the server that HOME/server.json names. The server
 * inherits the lock, so HOME's database never has two servers. When the owner ends, however it does, its server ends
 * too; the next command that looks takes the lock and starts a server on the same database and port.
 */

interface HomeServerOptions {
  /** `NIGHTLEDGER_HOME`; created when missing. */
  readonly home: string;
  /** A `temporal` binary, see `findTemporalCli`. */
  readonly cliPath: string;
  /** With the web UI, unless another command's server runs already. */
  readonly ui?: boolean | undefined;
  readonly report: (message: string) => void;
  /** Stops waiting; a server started by then is ended again. */
  readonly signal?: AbortSignal | undefined;
}

export interface EmbeddedServer {
  readonly address: string;
  readonly namespace: string;
  readonly ui?: string | undefined;
  /**
   * Starts the server again if it or its owner has ended, on the same port; one call at a time.
   * @throws UnreachableError when that can't be
   */
  ensureRunning(): Promise<void>;
  /** Ends the use, and this process's server, once no `ensureRunning` is under way. Later calls do nothing. */
  release(): Promise<void>;
}

type Endpoint = Pick<ServerProcess, "port" | "ui">;

/** HOME/server.json. It stays when the server stops, so that the next one has the same port. */
interface ServerRecord extends Endpoint {
  readonly isReady: boolean;
}

const EMBEDDED_NAMESPACE = "default";
const HEALTH_DEADLINE_MS = 10_000;
const LOOK_MS = 1_000;
const POLL_MS = 50;
/** For its owner to restart a server that hangs. */
const SILENT_MS = 20_000;
const FIRST_REPORT_MS = 2_000;

const lockOf = (home: string) => join(home, "server.lock");
const recordOf = (home: string) => join(home, "server.json");
const addressOf = ({ port }: Endpoint) => `${HOST}:${port}`;

class HomeServer {
  #own: ServerProcess | undefined;
  /** Where this process's client and worker are connected; they can't move. */
  #used: Endpoint | undefined;

  constructor(
    private readonly options: HomeServerOptions,
    private readonly lock: FileLock,
  ) {}

  /** @throws UnreachableError when the server does not start, does not answer here, or had to move */
  async ensure(): Promise<Endpoint> {
    const endpoint = await this.#running();
    this.#used ??= endpoint;
    if (endpoint.port === this.#used.port) return endpoint;
    throw new UnreachableError(
      `another program took its port ${this.#used.port}, so it runs on ${addressOf(endpoint)} now. Give the command again: every run continues there.`,
    );
  }

  async #running(): Promise<Endpoint> {
    const { home, report, signal, ui } = this.options;
    const own = this.#own;
    const stopped = () => own?.isRunning() !== true || signal?.aborted === true;
    if (own !== undefined && (await answers(own, { deadlineMs: HEALTH_DEADLINE_MS, stopped }))) return own;
    const startedAt = performance.now();
    let hasReported = false;
    let silentSince: number | undefined;
    for (;;) {
      signal?.throwIfAborted();
      if (await this.lock.take()) return this.#start();
      const record = await readRecord(home);
      if (record?.isReady && (await answers(record, { deadlineMs: LOOK_MS }))) {
        if (ui && record.ui === undefined && this.#used === undefined)
          report(
            "Another command began the Temporal server without its web UI. Start this one first to have it.",
          );
        return record;
      }
      const now = performance.now();
      silentSince = record?.isReady ? (silentSince ?? now) : undefined;
      if (silentSince !== undefined && now - silentSince > SILENT_MS) throw await this.#unreachable();
      if (!hasReported && now - startedAt > FIRST_REPORT_MS) {
        hasReported = true;
        report(`Waiting for the Temporal server of ${await this.lock.holder()} in HOME ${home}.`);
      }
      await sleep(POLL_MS);
    }
  }

  async #unreachable(): Promise<Error> {
    return new UnreachableError(
      `HOME ${this.options.home} is used by ${await this.lock.holder()}, whose Temporal server does not answer here: ` +
        "it is on another machine or in another container, or it hangs. Nothing was started. " +
        "End that command, or use a Temporal cluster (TEMPORAL_ADDRESS) that both can reach.",
    );
  }

  async #start(): Promise<Endpoint> {
    const { home, cliPath, ui, report, signal } = this.options;
    const port = await this.#stop();
    await clearUnfinishedDatabase(home);
    this.#own = await startServer({
      cliPath,
      database: databaseOf(home),
      logFile: join(home, "temporal.log"),
      namespace: EMBEDDED_NAMESPACE,
      preferredPort: this.#used?.port ?? port,
      ui,
      inherited: this.lock.file.fd,
      signal,
    });
    await markDatabaseReady(home);
    await writeRecord(home, { port: this.#own.port, ui: this.#own.ui, isReady: true });
    if (this.#used !== undefined)
      report("The Temporal server had ended; a new one runs on the same database, and every run continues.");
    return this.#own;
  }

  /** Returns the port of HOME's last server. */
  async #stop(): Promise<number | undefined> {
    const { home } = this.options;
    const record = await readRecord(home);
    if (record !== undefined) await writeRecord(home, { port: record.port, isReady: false });
    await this.#own?.stop();
    this.#own = undefined;
    return record?.port;
  }

  async release(): Promise<void> {
    if (this.#own !== undefined) await this.#stop();
    await this.lock.release();
  }
}

function answers(endpoint: Endpoint, limits: Parameters<typeof becomesReady>[2]): Promise<boolean> {
  return becomesReady(addressOf(endpoint), EMBEDDED_NAMESPACE, limits);
}

/** The embedded server of a HOME that runs now. Starts nothing. */
export async function runningServer(home: string): Promise<TemporalAddress | undefined> {
  const record = await readRecord(home);
  if (!record?.isReady || !(await isLocked(lockOf(home)))) return undefined;
  return { address: addressOf(record), namespace: EMBEDDED_NAMESPACE };
}

/**
 * Uses the Temporal server of a HOME: another command's, or one of its own on HOME's database.
 *
 * @throws InputError when HOME can't be written; UnreachableError when the server does not start, or HOME is used on
 * another machine or in another container
 */
export async function acquireEmbeddedServer(given: HomeServerOptions): Promise<EmbeddedServer> {
  const home = await openHome(given.home);
  const server = new HomeServer({ ...given, home }, await FileLock.open(lockOf(home)));
  const endpoint = await server.ensure().catch(async (error: unknown) => {
    await server.release();
    throw error;
  });
  let released: Promise<void> | undefined;
  return {
    address: addressOf(endpoint),
    namespace: EMBEDDED_NAMESPACE,
    ui: endpoint.ui,
    ensureRunning: async () => void (await server.ensure()),
    release() {
      released ??= server.release();
      return released;
    },
  };
}

async function readRecord(home: string): Promise<ServerRecord | undefined> {
  try {
    const { port, ui, isReady } = JSON.parse(await readFile(recordOf(home), "utf8")) as Partial<ServerRecord>;
    return typeof port === "number" ? { port, ui, isReady: isReady === true } : undefined;
  } catch {
    return undefined;
  }
}

async function writeRecord(home: string, record: ServerRecord): Promise<void> {
  await writeFile(`${recordOf(home)}.tmp`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${recordOf(home)}.tmp`, recordOf(home));
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
