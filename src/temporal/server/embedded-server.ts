import { access, constants, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError, UnreachableError } from "../../domain/failures.js";
import { acquireLock } from "./generation-lock.js";
import { EMBEDDED_NAMESPACE, HomeServer, type HomeServerOptions, type OtherUse } from "./home-server.js";
import { type Lease, liveLeases, writeLease } from "./leases.js";
import type { ServerRecord } from "./server-record.js";
import { Sightings, STALE_MS } from "./sightings.js";

export interface EmbeddedServer {
  readonly address: string;
  readonly namespace: string;
  readonly ui?: string | undefined;
  /** Starts the server again if it died, on the same port where that is free; returns its address. */
  ensureRunning(): Promise<string>;
  /** Ends the use; the last one stops the server. Later calls do nothing. */
  release(): Promise<void>;
}

const LOCK_WAIT_MS = 120_000;
/** Longer than it takes to find that a user elsewhere is gone. */
const ELSEWHERE_WAIT_MS = STALE_MS + 5_000;
const ELSEWHERE_POLL_MS = 500;

/**
 * Uses the Temporal server of a HOME: the one that runs, or a new one on HOME's database
 * (docs/inside/rules.md, "Embedded server"). Everything is decided under HOME's lock, so one database never
 * has two servers, however commands start, end and die.
 *
 * @throws InputError when HOME can't be written; UnreachableError when the server does not start, or is used
 * from elsewhere and can't be reached from here.
 */
export async function acquireEmbeddedServer(options: HomeServerOptions): Promise<EmbeddedServer> {
  const home = await openHome(options.home);
  const resolved = { ...options, home };
  const sightings = new Sightings();
  const server = new HomeServer(resolved);
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
    record = await reachable(resolved, async () => {
      const use = await others();
      // Written before the server is used: if this process is killed from here on, the next command clears it.
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
      const ensured = reachable(resolved, async () => server.ensure({ ...(await others()), isShared: true }));
      return (await ensured).address;
    },
    release: () => {
      released ??= underLock({ ...resolved, signal: undefined }, giveBack);
      return released;
    },
  };
}

/** Waits until a server that runs elsewhere is gone: its users have left, or are found dead. */
async function reachable(
  options: HomeServerOptions,
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
        `${where}, and its Temporal server can't be reached from here. Nothing was started. ` +
          "Wait until that command ends, or use a Temporal cluster (TEMPORAL_ADDRESS) that both can reach.",
      );
    }
    if (!told) report(`${where}; waiting to see whether it still runs.`);
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
