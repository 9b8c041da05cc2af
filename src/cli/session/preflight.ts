import { type Config, type ConfigParts, readConfig, scopeOf } from "../../config.js";
import { readAll } from "../../config-values.js";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { InputError } from "../../domain/failures.js";
import { taskQueue } from "../../domain/run.js";
import { keyMode } from "../../domain/service/key-mode.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import { openTable } from "../../lake/delta/delta-table.js";
import {
  expectBinding,
  knownLake,
  lakeIsGone,
  readBinding,
  type ServiceAddress,
  type ServiceBinding,
} from "../../lake/service-binding.js";
import { checkWritable } from "../../lake/store/local/local-store-directories.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { openStore } from "../../lake/store/open-store.js";
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

const PARTS = ["api", "lake", "home", "keys", "temporal", "log", "hooks", "institution", "pending"] as const;

interface ReadConfig<Part extends keyof ConfigParts> {
  readonly config: Config<Part>;
  readonly settings: TemporalSettings;
}

export type JobConfig = ReadConfig<(typeof PARTS)[number]>;

/** For a command that starts nothing. Whose lake it is, the lake itself says. */
export interface LakeView
  extends ReadConfig<"lake" | "home" | "keys">,
    Pick<Preflight, "store" | "scope" | "taskQueue" | "keys"> {}

export interface Preflight extends JobConfig {
  readonly store: ObjectStore;
  /** That of the lake, or that its first use binds it to. */
  readonly service: ServiceBinding;
  readonly scope: string;
  readonly taskQueue: string;
  /** Undefined where embedded mode creates them at its first use. */
  readonly keys: EncryptionKeys | undefined;
  /** Whether it may be another lake than that of a job's earlier runs. */
  readonly mayBeNew: boolean;
  /** As the table `runs` shows it; undefined where nobody typed one. */
  readonly command: string | undefined;
  /** All tables before the lake's first use, new ones after an upgrade. */
  readonly missing: readonly TableSpec[];
}

/** By which all callers of a lake's service see a pause of everything. */
const PAUSE = "_nightledger/pause.json";

const READS_AT_ONCE = 8;

/** @throws InputError (exit 2) naming every variable that is wrong, a line for each. */
export function readJobConfig(terminal: Terminal): JobConfig {
  const { config, settings } = readParts(terminal, PARTS);
  const store = openStore(config.lake);
  const pauses = { read: () => store.get(PAUSE), write: (pause: string) => store.put(PAUSE, pause) };
  return { config: { ...config, api: { ...config.api, pauses } }, settings };
}

/**
 * Looks at a lake and its keys, without the service's settings; writes nothing.
 *
 * @throws InputError (exit 2) naming the variable or the directory, or a lake that is gone.
 */
export async function readLakeView(terminal: Terminal): Promise<LakeView> {
  const { config, settings } = readParts(terminal, ["lake", "home", "keys"]);
  const store = openStore(config.lake);
  // Here no run tries a bucket again that can't be used.
  await store.isThere();
  const keys = await findKeys(store, config);
  if (settings.mode === "embedded") await checkKnownLake(config, store);
  const scope = scopeOf((await readBinding(store))?.url ?? "", config.lake.address);
  return { config, settings, store, keys, scope, taskQueue: taskQueue(scope) };
}

function readParts<const Part extends keyof ConfigParts>(
  terminal: Terminal,
  parts: readonly Part[],
): ReadConfig<Part> {
  const { temporal } = readConfig(terminal, ["temporal"]);
  const { config, settings } = readAll({
    config: () => readConfig(terminal, parts),
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
  return { config, settings };
}

/**
 * Checks lake and keys, and that this version may write every table; writes nothing.
 *
 * @throws InputError (exit 2) naming the variable, the directory or the table.
 */
export async function runPreflight(
  terminal: Terminal,
  { config, settings }: JobConfig = readJobConfig(terminal),
): Promise<Preflight> {
  const store = openStore(config.lake);
  const lake = store.checkWritable("NIGHTLEDGER_LAKE");
  const home = settings.mode === "embedded" ? checkWritable("NIGHTLEDGER_HOME", config.home.path) : undefined;
  const checked = await Promise.allSettled([lake, home]);
  readAll(Object.fromEntries(checked.map((one, at) => [at, () => outcomeOf(one)])));
  const keys = await findKeys(store, config);
  const service = await findService(config);
  const isEmbedded = settings.mode === "embedded";
  if (isEmbedded && !terminal.newLake) await checkKnownLake(config, store);
  // With a cluster, only the job's earlier runs know the lake.
  const mayBeNew = isEmbedded || terminal.newLake === true;
  const folders = new Set(await store.folders(""));
  const there = TABLES.filter(({ name }) => folders.has(name));
  const made = await withDuckDb((duckdb) =>
    mapConcurrent(READS_AT_ONCE, there, async ({ name }) => {
      const { version } = await openTable(store, name, duckdb).writableSnapshot();
      return version < 0 ? undefined : name;
    }),
  );
  const scope = scopeOf(config.api.url, config.lake.address);
  return {
    config,
    settings,
    store,
    service,
    scope,
    taskQueue: taskQueue(scope),
    keys,
    mayBeNew,
    command: terminal.shown,
    missing: TABLES.filter(({ name }) => !made.includes(name)),
  };
}

export function placeOf({ scope, taskQueue, service, store, mayBeNew, command }: Preflight) {
  return { scope, taskQueue, lake: { id: service.lake, address: store.address, mayBeNew }, command };
}

/** @throws InputError (exit 2) where HOME knows a lake here that is gone. */
async function checkKnownLake(
  { home, lake }: Pick<ConfigParts, "home" | "lake">,
  store: ObjectStore,
): Promise<void> {
  const known = await knownLake(home.path, lake.address);
  const found = (await readBinding(store))?.lake;
  if (known !== undefined && found !== known) throw lakeIsGone(lake.address, found);
}

function outcomeOf(result: PromiseSettledResult<void>): void {
  if (result.status === "rejected") throw result.reason;
}

/** The service of a lake, or of its first use. Only reads. @throws InputError (exit 2) where another is configured */
export async function findService({ api, lake }: Pick<ConfigParts, "api" | "lake">): Promise<ServiceBinding> {
  return expectBinding(openStore(lake), serviceAddress(api));
}

export function serviceAddress({ url, key }: ConfigParts["api"]): ServiceAddress {
  return { url, mode: keyMode(key) };
}

/**
 * The keys of a lake: the configured ones, else those of HOME; undefined where none are needed. Only reads.
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

/** @throws InputError (exit 2) for a detached run of an embedded server. */
export function checkDetach({ detach }: { readonly detach?: boolean }, mode: TemporalSettings["mode"]): void {
  if (!detach || mode === "cluster") return;
  throw new InputError(
    "--detach needs a Temporal cluster (TEMPORAL_ADDRESS): the embedded server stops when the command ends. To keep one running, use `nightledger dev`.",
  );
}
