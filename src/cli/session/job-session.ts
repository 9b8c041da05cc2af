import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ensureBinding, rememberLake, type ServiceBinding } from "../../lake/service-binding.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import { createTables } from "../../lake/tables/create.js";
import { createLogger, type Logger } from "../../logger.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { ensureKeyCheck } from "../../temporal/encryption/key-check.js";
import { type EncryptionKeys, ensureEmbeddedKeys } from "../../temporal/encryption/keys.js";
import type { Interruptible } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Preflight } from "./preflight.js";
import { type EmbeddedUse, openTemporal, type TemporalSession } from "./temporal-session.js";

export interface JobSession {
  readonly preflight: Preflight;
  readonly temporal: TemporalSession;
  readonly sealed: SealedStore;
  readonly keys: EncryptionKeys;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface SessionUse extends EmbeddedUse {
  /** Sees each line of the log. */
  readonly onLog?: Parameters<typeof createLogger>[0]["seen"];
}

/** Creates HOME and its keys, connects to Temporal, and binds the lake to its service and keys. */
export async function openJobSession(
  terminal: Terminal,
  preflight: Preflight,
  { signal, releases }: Interruptible,
  { onLog, ...options }: SessionUse = {},
): Promise<JobSession> {
  const { config, settings, store } = preflight;
  const home = config.home.path;
  if (settings.mode === "embedded") await mkdir(home, { recursive: true, mode: 0o700 });
  const keys = preflight.keys ?? (await ensureEmbeddedKeys(home));
  const log = openLog(preflight, releases, onLog);
  const temporal = await openTemporal({ terminal, preflight, keys, log, signal, ...options });
  releases.add(() => temporal.close());
  signal.throwIfAborted();
  const service = await bindLake(preflight, keys);
  if (temporal.embedded) await rememberLake(home, config.lake.address, service.lake);
  const sealed = new SealedStore(store, createSealer(keys));
  return { preflight: { ...preflight, service }, temporal, sealed, keys, log, signal };
}

/** Opens the log: a file in HOME in embedded mode, standard error with a cluster. */
export function openLog(
  { config, settings }: Preflight,
  releases: Interruptible["releases"],
  seen?: SessionUse["onLog"],
): Logger {
  const { log, secrets, home } = config;
  const destination = settings.mode === "embedded" ? { file: join(home.path, "nightledger.log") } : "stderr";
  const handle = createLogger({ destination, level: log.level, secrets, seen });
  releases.add(() => handle.close());
  return handle.logger;
}

/** Gives a lake its service, then the tables that it lacks, then its key check, which a lake that has all three has. */
export async function bindLake(
  { store, service, missing }: Preflight,
  keys: EncryptionKeys,
): Promise<ServiceBinding> {
  const bound = await ensureBinding(store, service);
  await createTables(store, missing);
  await ensureKeyCheck(store, keys);
  return bound;
}
