import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ApiClient, createApiClient } from "../../api/http/client.js";
import { ApiError, AuthError, NotSentError } from "../../api/http/errors.js";
import { getUser } from "../../api/operations/user.js";
import type { ApiConfig } from "../../config.js";
import { type Config, readConfig, scopeOf } from "../../config.js";
import { InputError, UnreachableError } from "../../domain/failures.js";
import { taskQueue } from "../../domain/run.js";
import { createLocalStore } from "../../lake/store/local-store.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { createLogger, type Logger } from "../../logger.js";
import { resolveTemporal, type TemporalSettings } from "../../temporal/connection-settings.js";
import { CANARY_KEY, checkCanary, ensureCanary } from "../../temporal/encryption/key-check.js";
import {
  type EncryptionKeys,
  ensureEmbeddedKeys,
  parseEncryptionKeys,
  readEmbeddedKeys,
} from "../../temporal/encryption/keys.js";
import { VERSION } from "../../version.js";
import type { Releases } from "../terminal/releases.js";
import type { Terminal } from "../terminal/terminal.js";
import { logDestination, openTemporal, type TemporalSession } from "./temporal-session.js";
import { checkTables } from "./writable-tables.js";

const PARTS = ["api", "lake", "home", "keys", "temporal", "log"] as const;

/** What a job is configured with; nothing but variables was looked at. */
export interface JobConfig {
  readonly config: Config<(typeof PARTS)[number]>;
  readonly settings: TemporalSettings;
}

/** All that was found right before a job may begin. */
export interface JobSurroundings extends JobConfig {
  readonly store: ObjectStore;
  readonly scope: string;
  readonly taskQueue: string;
  /** Keys that stand already; undefined where embedded mode makes them at its first use. */
  readonly keys: EncryptionKeys | undefined;
}

/**
 * Reads the configuration of a job.
 *
 * @throws InputError (exit 2) naming the variable.
 */
export function readJobConfig(terminal: Terminal): JobConfig {
  const config = readConfig({ env: terminal.env, cwd: terminal.cwd }, PARTS);
  for (const warning of config.warnings) terminal.say(`warning: ${warning}`);
  const settings = resolveTemporal(config.temporal.env);
  if (settings.mode === "cluster") {
    readConfig({ env: terminal.env, cwd: terminal.cwd }, ["clusterKeys"]);
    return { config, settings };
  }
  const api = { ...config.api, pauses: join(config.home.path, "pauses") };
  return { config: { ...config, api }, settings };
}

/**
 * Looks at lake and keys; writes nothing.
 *
 * @throws InputError (exit 2) naming the variable, directory or table.
 */
export async function inspectSurroundings(
  terminal: Terminal,
  { config, settings }: JobConfig = readJobConfig(terminal),
): Promise<JobSurroundings> {
  const { encryptionKeys } = config.keys;
  const store = createLocalStore(config.lake.address);
  await checkWritable("NIGHTLEDGER_LAKE", config.lake.address);
  if (settings.mode === "embedded") await checkWritable("NIGHTLEDGER_HOME", config.home.path);
  const keys =
    encryptionKeys === undefined
      ? await readEmbeddedKeys(config.home.path)
      : parseEncryptionKeys(encryptionKeys);
  await checkKeys(store, keys, config.home.path);
  await checkTables(store);
  const scope = scopeOf(config.api.url, config.lake.address);
  return { config, settings, store, scope, taskQueue: taskQueue(scope), keys };
}

async function checkKeys(store: ObjectStore, keys: EncryptionKeys | undefined, home: string): Promise<void> {
  if (keys !== undefined) {
    await checkCanary(store, keys);
    return;
  }
  if ((await store.get(CANARY_KEY)) === undefined) return;
  throw new InputError(
    `NIGHTLEDGER_ENCRYPTION_KEYS: not set, and ${home} holds no keys, but the lake ${store.address} was made with one. Give the lake's keys, or the NIGHTLEDGER_HOME that made it.`,
  );
}

/** Looks whether a directory, or the nearest one above it, can be written; makes nothing. */
async function checkWritable(variable: string, path: string): Promise<void> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found === undefined && at !== dirname(at)) continue;
    if (found !== undefined && !found.isDirectory()) {
      throw new InputError(
        `${variable}: ${at} is not a directory. Accepted: a directory that can be written.`,
      );
    }
    await access(at, constants.W_OK | constants.X_OK).catch(() => {
      throw new InputError(`${variable}: ${at} can't be written. Accepted: a directory that can be written.`);
    });
    return;
  }
}

/** Refuses to leave an embedded server alone. @throws InputError (exit 2). */
export function checkDetach({ detach }: { readonly detach?: boolean }, mode: TemporalSettings["mode"]): void {
  if (!detach || mode === "cluster") return;
  throw new InputError(
    "--detach needs a Temporal cluster (TEMPORAL_ADDRESS): an embedded server ends with its command. Keep one running with `nightledger dev`.",
  );
}

/** An id that nobody has. */
const NOBODY = "nightledger-check";

/**
 * Asks the service for one user: any answer but 401 and 403 counts as reached.
 *
 * @throws AuthError (exit 4), UnreachableError (exit 3).
 */
export async function reachService({ config }: JobSurroundings, fpId = NOBODY): Promise<void> {
  const { api } = config;
  const client = openServiceClient(api);
  try {
    // The service has just asked another process for a pause: so it is there.
    if (client.gateUntil !== undefined) return;
    await client.call(getUser, { path: { fp_id: fpId } });
  } catch (error) {
    if (!(error instanceof ApiError) || error instanceof AuthError) throw error;
    if (error.status === undefined || error instanceof NotSentError) {
      throw new UnreachableError(
        `the service at ${api.url} could not be reached: ${error.message}. Nothing was started; check NIGHTLEDGER_API_URL and the network`,
        { cause: error },
      );
    }
  } finally {
    await client.close();
  }
}

/** Begins to write: HOME, keys and the lake's canary; then connects to Temporal. */
export async function openJobTemporal(
  surroundings: JobSurroundings,
  terminal: Terminal,
  releases: Releases,
  options: { readonly ui?: boolean; readonly signal?: AbortSignal } = {},
): Promise<{ temporal: TemporalSession; log: Logger; keys: EncryptionKeys }> {
  const { config, settings, store } = surroundings;
  const home = config.home.path;
  if (settings.mode === "embedded") await mkdir(home, { recursive: true, mode: 0o700 });
  const keys = surroundings.keys ?? (await ensureEmbeddedKeys(home));
  const destination = logDestination(settings, home);
  const handle = createLogger({ destination, level: config.log.level, secrets: config.secrets });
  releases.add(() => handle.close());
  const temporal = await openTemporal({
    settings,
    env: { ...config.temporal.env, ...terminal.env },
    home,
    keys,
    api: config.api,
    lake: config.lake.address,
    taskQueue: surroundings.taskQueue,
    log: handle.logger,
    report: (message) => terminal.say(message),
    ...options,
  });
  releases.add(() => temporal.close());
  await ensureCanary(store, keys);
  return { temporal, log: handle.logger, keys };
}

/** A client of the configured service for a command's own calls; whoever opens it closes it. */
export function openServiceClient(api: ApiConfig): ApiClient {
  const { url: baseUrl, key: apiKey } = api;
  return createApiClient({ ...api, baseUrl, apiKey, userAgent: `nightledger/${VERSION}` });
}
