import { access, constants, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../domain/failures.js";
import { acquireLock } from "./generation-lock.js";
import { EMBEDDED_NAMESPACE, HomeServer, type HomeServerOptions } from "./home-server.js";
import { recordOf } from "./server-record.js";
import { keepRenewed } from "./sightings.js";

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

/**
 * Uses the Temporal server of a HOME: the one that runs, or a new one on HOME's database
 * (docs/inside/rules.md, "Embedded server"). Everything is decided under HOME's lock, so one database never
 * has two servers, however commands start, end and die.
 *
 * @throws InputError when HOME can't be written; UnreachableError when the server does not start, or HOME is used
 * on another machine or in another container.
 */
export async function acquireEmbeddedServer(options: HomeServerOptions): Promise<EmbeddedServer> {
  const home = await openHome(options.home);
  const resolved = { ...options, home };
  const server = new HomeServer(resolved);
  const { address, ui } = await underLock(resolved, () => server.ensure()).catch(async (error: unknown) => {
    await server.letGo();
    throw error;
  });
  const stopRenewing = keepRenewed(recordOf(home));
  const giveBack = async () => {
    await stopRenewing();
    await server.giveBack();
  };
  let released: Promise<void> | undefined;
  return {
    address,
    namespace: EMBEDDED_NAMESPACE,
    ui,
    ensureRunning: async () => (await underLock(resolved, () => server.ensure())).address,
    release: () => {
      released ??= underLock({ ...resolved, signal: undefined }, giveBack);
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
