import { access, constants, lstat, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Config, type ConfigParts, readConfig, scopeOf } from "../../config.js";
import { readAll } from "../../config-values.js";
import { InputError } from "../../domain/failures.js";
import { taskQueue } from "../../domain/run.js";
import { keyMode } from "../../domain/service/key-mode.js";
import { assertWritable } from "../../lake/delta/delta-protocol.js";
import { openTable } from "../../lake/delta/delta-table.js";
import {
  checkBinding,
  expectBinding,
  type ServiceAddress,
  type ServiceBinding,
} from "../../lake/service-binding.js";
import { createLocalStore } from "../../lake/store/local-store.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { onboardings } from "../../lake/tables/onboardings.js";
import { TABLES } from "../../tables.js";
import { resolveTemporal, type TemporalSettings } from "../../temporal/connection-settings.js";
import { checkKeys, KEY_CHECK } from "../../temporal/encryption/key-check.js";
import {
  type EncryptionKeys,
  parseEncryptionKeys,
  readEmbeddedKeys,
} from "../../temporal/encryption/keys.js";
import { withDuckDb } from "../lake/reader.js";
import type { Terminal } from "../terminal/terminal.js";

const PARTS = ["api", "lake", "home", "keys", "temporal", "log", "alerts"] as const;

export interface JobConfig {
  readonly config: Config<(typeof PARTS)[number]>;
  readonly settings: TemporalSettings;
}

export interface Preflight extends JobConfig {
  readonly store: ObjectStore;
  /** The lake's service, or the one that its first use binds it to. */
  readonly service: ServiceBinding;
  readonly scope: string;
  readonly taskQueue: string;
  /** Keys that exist already; undefined where embedded mode creates them at its first use. */
  readonly keys: EncryptionKeys | undefined;
}

/**
 * Reads the configuration of a job.
 *
 * @throws InputError (exit 2) naming every variable that is wrong, a line for each.
 */
export function readJobConfig(terminal: Terminal): JobConfig {
  const { temporal } = readConfig(terminal, ["temporal"]);
  const { config, settings } = readAll({
    config: () => readConfig(terminal, PARTS),
    settings: () => {
      const found = resolveTemporal(temporal.env);
      if (found.mode === "cluster") readConfig(terminal, ["clusterKeys"]);
      return found;
    },
    keys: () => {
      const { encryptionKeys } = readConfig(terminal, ["keys"]).keys;
      return encryptionKeys && parseEncryptionKeys(encryptionKeys);
    },
  });
  for (const warning of config.warnings) terminal.say(`warning: ${warning}`);
  if (settings.mode === "cluster") return { config, settings };
  const api = { ...config.api, pauses: join(config.home.path, "pauses") };
  return { config: { ...config, api }, settings };
}

/**
 * Checks lake and keys, and that this version may write every table; writes nothing.
 *
 * @throws InputError (exit 2) naming the variable, the directory, or a table of a newer version or with a damaged log.
 */
export async function runPreflight(
  terminal: Terminal,
  { config, settings }: JobConfig = readJobConfig(terminal),
): Promise<Preflight> {
  const store = createLocalStore(config.lake.address);
  const lake = checkWritable("NIGHTLEDGER_LAKE", config.lake.address);
  const home = settings.mode === "embedded" ? checkWritable("NIGHTLEDGER_HOME", config.home.path) : undefined;
  const checked = await Promise.allSettled([lake, home]);
  readAll(Object.fromEntries(checked.map((one, at) => [at, () => outcomeOf(one)])));
  const keys = await findKeys(store, config);
  const service = await findService(config);
  await withDuckDb(async (duckdb) => {
    for (const { name: table } of TABLES)
      assertWritable(table, await openTable(store, table, duckdb).snapshot());
  });
  const scope = scopeOf(config.api.url, config.lake.address);
  return { config, settings, store, service, scope, taskQueue: taskQueue(scope), keys };
}

function outcomeOf(settled: PromiseSettledResult<void>): void {
  if (settled.status === "rejected") throw settled.reason;
}

/**
 * Finds the service that the lake belongs to, or that its first use binds it to. Only reads.
 *
 * @throws InputError (exit 2) naming both addresses where the configured one is another.
 */
export async function findService({ api, lake }: Pick<ConfigParts, "api" | "lake">): Promise<ServiceBinding> {
  const store = createLocalStore(lake.address);
  const asked = serviceAddress(api);
  return (await checkBinding(store, asked)) ?? expectBinding(store, asked, await isNewLake(store));
}

/**
 * Whether a lake without a binding is unused. Its first use writes the binding before the key check, so a lake with a
 * key check is older than bindings; the runbook lets people delete a key check, but not rows.
 */
async function isNewLake(store: ObjectStore): Promise<boolean> {
  if ((await store.get(KEY_CHECK)) !== undefined) return false;
  return (await store.list(`${onboardings.name}/_delta_log/`)).length === 0;
}

export function serviceAddress({ url, key }: ConfigParts["api"]): ServiceAddress {
  return { url, mode: keyMode(key) };
}

/**
 * Finds the keys of a lake: the configured ones, else those of HOME; undefined where there are none and none are needed.
 * Only reads.
 *
 * @throws InputError (exit 2) where the lake was made with other keys.
 */
export async function findKeys(
  store: ObjectStore,
  { keys: { encryptionKeys }, home }: Pick<ConfigParts, "keys" | "home">,
): Promise<EncryptionKeys | undefined> {
  const keys =
    encryptionKeys === undefined ? await readEmbeddedKeys(home.path) : parseEncryptionKeys(encryptionKeys);
  if (keys !== undefined) {
    await checkKeys(store, keys);
    return keys;
  }
  if ((await store.get(KEY_CHECK)) === undefined) return undefined;
  throw new InputError(
    `NIGHTLEDGER_ENCRYPTION_KEYS is not set and ${home.path} holds no keys, but the lake ${store.address} was created with one. Set the lake's keys, or use the NIGHTLEDGER_HOME that created the lake.`,
  );
}

/** Checks that a directory, or its nearest existing parent, is writable; creates nothing. */
export async function checkWritable(variable: string, path: string): Promise<void> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    const link = found ?? (await lstat(at).catch(() => undefined));
    if (link?.isSymbolicLink()) {
      throw new InputError(`${variable}: ${at} is a link to nothing. Accepted: a writable directory.`);
    }
    if (found === undefined && at !== dirname(at)) continue;
    if (found !== undefined && !found.isDirectory()) {
      throw new InputError(`${variable}: ${at} is not a directory. Accepted: a writable directory.`);
    }
    await access(at, constants.W_OK | constants.X_OK).catch(() => {
      throw new InputError(`${variable}: ${at} is not writable. Accepted: a writable directory.`);
    });
    return;
  }
}

/** Refuses to detach from an embedded server. @throws InputError (exit 2). */
export function checkDetach({ detach }: { readonly detach?: boolean }, mode: TemporalSettings["mode"]): void {
  if (!detach || mode === "cluster") return;
  throw new InputError(
    "--detach needs a Temporal cluster (TEMPORAL_ADDRESS): the embedded server stops when the command ends. To keep one running, use `nightledger dev`.",
  );
}
