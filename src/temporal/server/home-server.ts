import { join } from "node:path";
import type { TemporalAddress } from "../connection-settings.js";
import { isHere, isRunning, networkHere } from "./process-identity.js";
import { clearUnfinishedDatabase, databaseOf, markDatabaseReady } from "./server-database.js";
import { endProcess, serversOn, startServer } from "./server-process.js";
import { becomesReady } from "./server-readiness.js";
import {
  readServerRecord,
  removeServerRecord,
  type ServerRecord,
  writeServerRecord,
} from "./server-record.js";
import { attachSupervisor, type Hold, hasReader, joinPipe, removePipes } from "./supervisor.js";

export interface HomeServerOptions {
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

export interface OtherUse {
  readonly isShared: boolean;
  /** Among them is a process on another machine or in another PID namespace. */
  readonly isElsewhere: boolean;
}

export const EMBEDDED_NAMESPACE = "default";

const HEALTH_DEADLINE_MS = 10_000;
const ELSEWHERE_DEADLINE_MS = 3_000;

/** The server of a HOME, and this process's hold on it. Every method is called under HOME's lock. */
export class HomeServer {
  readonly #options: HomeServerOptions;
  readonly #database: string;
  #hold: Hold | undefined;

  constructor(options: HomeServerOptions) {
    this.#options = options;
    this.#database = databaseOf(options.home);
  }

  /**
   * Returns the running server, or starts one; undefined where one runs elsewhere and can't be reached from here.
   * Of two servers on one database, the second would corrupt it.
   */
  async ensure(others: OtherUse): Promise<ServerRecord | undefined> {
    const known = await readServerRecord(this.#options.home);
    if (known !== undefined && !isHere(known)) {
      const found = await this.#ensureElsewhere(known, others);
      if (found !== "gone") return found;
    } else if (known !== undefined && isRunning(known)) {
      const found = await this.#ensureHere(known, others);
      if (found !== "gone") return found;
    }
    return this.#start(known);
  }

  /** Ends the server; one that runs elsewhere is left to its supervisor. */
  async end(): Promise<void> {
    const { home } = this.#options;
    const record = await readServerRecord(home);
    if (record !== undefined && !isHere(record)) return;
    if (record !== undefined) await endProcess(record);
    await removeServerRecord(home);
    await removePipes(home);
  }

  async letGo(): Promise<void> {
    await this.#take(undefined);
  }

  async #ensureHere(known: ServerRecord, { isShared }: OtherUse): Promise<ServerRecord | "gone"> {
    const { home, report, signal, ui } = this.#options;
    const lacksUi = ui === true && known.ui === undefined;
    if (!(lacksUi && !isShared) && (await this.#isHealthy(known, HEALTH_DEADLINE_MS))) {
      if (!(await this.#supervise(known))) return "gone";
      if (lacksUi)
        report("Another command uses the Temporal server, which has no web UI; it is left as it is.");
      await markDatabaseReady(home);
      return known;
    }
    signal?.throwIfAborted();
    report(`Restarting the Temporal server that was left in HOME (pid ${known.pid}) on the same database.`);
    await endProcess(known);
    return "gone";
  }

  async #ensureElsewhere(
    known: ServerRecord,
    { isElsewhere }: OtherUse,
  ): Promise<ServerRecord | "gone" | undefined> {
    const { home } = this.#options;
    // A server left here by a process that another machine took for dead. The server elsewhere may be visible from
    // here too, under another pid.
    for (const stray of serversOn(this.#database)) {
      if (stray.started !== known.started) await endProcess(stray);
    }
    const isNear = known.network === networkHere();
    if (isNear && (await this.#isHealthy(known, ELSEWHERE_DEADLINE_MS))) {
      // Without an answer it is ending, and will be gone the next time.
      const hold = known.pipe && (await joinPipe(home, known.pipe, () => true));
      if (hold) await this.#take(hold);
      return known;
    }
    return isElsewhere || (known.pipe && (await hasReader(home, known.pipe))) ? undefined : "gone";
  }

  async #start(known: ServerRecord | undefined): Promise<ServerRecord> {
    const { home, cliPath, ui, signal } = this.#options;
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
        preferredPort: known?.port,
        ui,
        spawned: (record) => writeServerRecord(home, record),
        signal,
        isSupervised: true,
      });
      await this.#take(hold);
      await markDatabaseReady(home);
      return record;
    } catch (error) {
      await removeServerRecord(home);
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

  #isHealthy(record: ServerRecord, deadlineMs: number): Promise<boolean> {
    const { signal } = this.#options;
    return becomesReady(record.address, EMBEDDED_NAMESPACE, {
      deadlineMs,
      stopped: () => (isHere(record) && !isRunning(record)) || signal?.aborted === true,
    });
  }
}

/** Finds the embedded server of a HOME that runs on this machine now. Starts and holds nothing. */
export async function runningServer(home: string): Promise<TemporalAddress | undefined> {
  const record = await readServerRecord(home);
  if (record === undefined || !isRunning(record)) return undefined;
  return { address: record.address, namespace: EMBEDDED_NAMESPACE };
}
