import { access, constants, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError, UnreachableError } from "../../domain/failures.js";
import { acquireLock } from "./generation-lock.js";
import { EMBEDDED_NAMESPACE, HomeServer, type OtherUse } from "./home-server.js";
import { type Lease, liveLeases, writeLease } from "./leases.js";
import { isHere, isRunning } from "./process-identity.js";
import { readServerRecord, type ServerRecord } from "./server-record.js";
import { Sightings, STALE_MS } from "./sightings.js";

/** How to use the embedded server of a HOME. */
interface EmbeddedOptions {
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

/** Whether HOME's server seems to run here: a command then uses it, and starts none. */
export async function isServerRunning(home: string): Promise<boolean> {
  const known = await readServerRecord(home);
  return known !== undefined && isHere(known) && isRunning(known);
}

const LOCK_WAIT_MS = 120_000;
/** Longer than it takes to know that whoever used a server elsewhere is gone. */
const ELSEWHERE_WAIT_MS = STALE_MS + 5_000;
const ELSEWHERE_POLL_MS = 500;

/**
 * Uses the Temporal server of a HOME: the one that runs, or a new one on HOME's database
 * (docs/inside/architecture.md, "Embedded server"). Everything is decided under HOME's lock, so however commands
 * start, end and die, one database never has two servers.
 *
 * @throws InputError when HOME can't be written; UnreachableError when the server does not start, or is used
 * from elsewhere and can't be reached from here.
 */
export async function acquireEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const home = await openHome(options.home);
  const held = { ...options, home };
  const sightings = new Sightings();
  const server = new HomeServer(held);
  let lease: Lease | undefined;
  const others = async (): Promise<OtherUse> => {
    const leases = (await liveLeases(home, sightings)).filter(({ path }) => path !== lease?.path);
    return { isShared: leases.length > 0, isElsewhere: leases.some(({ isElsewhere }) => isElsewhere) };
  };
  const giveBack = async () => {
    await lease?.remove();
    if (!(await others()).isShared) await server.end();
    await server.letGo();
  };
  let record: ServerRecord;
  try {
    record = await reachable(held, async () => {
      const use = await others();
      // Written before the server is looked at: killed from here on, the next command clears it away.
      lease ??= await writeLease(home);
      return server.ensure(use);
    });
  } catch (error) {
    await lease?.remove();
    await server.letGo();
    throw error;
  }
  let released: Promise<void> | undefined;
  return {
    address: record.address,
    namespace: EMBEDDED_NAMESPACE,
    ui: record.ui,
    ensureRunning: async () => {
      const ensured = reachable(held, async () => server.ensure({ ...(await others()), isShared: true }));
      return (await ensured).address;
    },
    release: () => {
      released ??= underLock({ ...held, signal: undefined }, giveBack);
      return released;
    },
  };
}

/** Waits for a server that runs elsewhere to be gone: its users leave, or are found to be dead. */
async function reachable(
  options: EmbeddedOptions,
  ensure: () => Promise<ServerRecord | undefined>,
): Promise<ServerRecord> {
  const { home, report, signal } = options;
  const deadline = performance.now() + ELSEWHERE_WAIT_MS;
  const where = `HOME ${home} is used by a Nightledger command on another machine or in another container`;
  for (let told = false; ; told = true) {
    const record = await underLock(options, ensure);
    if (record !== undefined) return record;
    if (performance.now() > deadline) {
      throw new UnreachableError(
        `${where}, whose Temporal server can't be reached from here. Nothing was started. ` +
          "Wait for its end, or run a cluster (TEMPORAL_ADDRESS) that both can reach.",
      );
    }
    if (!told) report(`${where}; looking whether it still runs.`);
    await sleep(ELSEWHERE_POLL_MS, undefined, { signal }).catch(() => undefined);
  }
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
