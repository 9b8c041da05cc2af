import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { readConfigFile } from "./config-file.js";
import {
  codeOf,
  invalid,
  readAll,
  readText,
  readVariable,
  realDirectory,
  unknownVariables,
  VARIABLES,
  type Variable,
  type VariableName,
  type VariableValue,
} from "./config-values.js";
import { InputError } from "./domain/failures.js";
import type { HookSettings } from "./domain/hook-settings.js";
import { type LakePlace, s3Address, s3Place } from "./domain/lake-address.js";
import type { CallLimits, SharedPause } from "./domain/service/pace/pacer.js";
import type { ServiceWords } from "./domain/service/service-words.js";

const CONFIG_FILE = "nightledger.yaml";
const MAX_BODY_BYTES = 16 * 1024 * 1024;

export interface ApiConfig {
  /** No slash at its end. */
  readonly url: string;
  readonly key: string;
  readonly concurrency: number;
  readonly rps: number | undefined;
  /** Of all workers of the task queue. */
  readonly fleet?: CallLimits;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly words?: ServiceWords;
  /** Shared by all who call the service for a lake. */
  readonly pauses?: SharedPause;
}

export interface WebhookConfig {
  /** Several during a rotation. */
  readonly secrets: readonly string[];
  readonly mode: "test" | "live";
}

export type Config<Part extends keyof ConfigParts> = Pick<ConfigParts, Part> & {
  /** Unknown variables, a key sent in the clear. */
  readonly warnings: readonly string[];
  /** For the logger to hide. */
  readonly secrets: readonly string[];
};

interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of `.env` and relative paths. */
  readonly cwd: string;
}

/**
 * Reads the environment, then `.env`; an empty variable is not set (docs/run/configuration.md).
 * @throws InputError with a line for each wrong variable
 */
export function readConfig<const Part extends keyof ConfigParts>(
  source: ConfigSource,
  needs: readonly Part[],
): Config<Part> {
  const merged = Object.entries({ ...readDotEnv(source.cwd), ...source.env });
  const values = new Map(merged.filter(isSet));
  const warnings = unknownVariables([...values.keys()]);
  const readers = needs.map(
    (part) => [part, () => (READERS[part] as Reader)(values, source.cwd, warnings)] as const,
  );
  const parts = readAll(Object.fromEntries(readers));
  return { ...parts, warnings, secrets: secretsOf(values) } as unknown as Config<Part>;
}

/** Values that flags gave in place of variables. @throws InputError that names the flag */
export function givenAs<R>(
  given: { readonly [Name in VariableName]?: string | undefined },
  read: () => R,
): R {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    let { message } = error;
    for (const [name, as] of Object.entries(given)) if (as) message = message.replaceAll(name, as);
    throw new InputError(message);
  }
}

/** docs/inside/architecture.md, "Glossary". */
export function scopeOf(apiUrl: string, lakeAddress: string): string {
  return createHash("sha256").update(`${apiUrl}\n${lakeAddress}`).digest("hex").slice(0, 8);
}

/** The environment over `.env`. */
type Values = ReadonlyMap<string, string>;

/** Odd things go into the warnings. */
type Reader = (values: Values, cwd: string, warnings: string[]) => unknown;

const CALL_LIMITS = {
  concurrency: "NIGHTLEDGER_API_CONCURRENCY",
  rps: "NIGHTLEDGER_API_RPS",
  fleetConcurrency: "NIGHTLEDGER_API_FLEET_CONCURRENCY",
  fleetRps: "NIGHTLEDGER_API_FLEET_RPS",
} as const;

const READERS = {
  api: (values, cwd, warnings): ApiConfig => {
    const api = fields(values, {
      url: "NIGHTLEDGER_API_URL",
      key: "NIGHTLEDGER_API_KEY",
      ...CALL_LIMITS,
      headersTimeoutMs: "NIGHTLEDGER_API_HEADERS_TIMEOUT_MS",
      bodyTimeoutMs: "NIGHTLEDGER_API_BODY_TIMEOUT_MS",
    });
    if (/^http:\/\/(?!(localhost|127\.[\d.]+|\[::1\])(:|\/|$))/.test(api.url)) {
      warnings.push(
        "NIGHTLEDGER_API_URL uses http: to another host, so the key is sent unencrypted; use https:",
      );
    }
    const { fleetConcurrency, fleetRps, ...own } = api;
    const none = Number.POSITIVE_INFINITY;
    const fleet = { concurrency: fleetConcurrency ?? none, rps: fleetRps ?? none };
    const { words } = settingsFile(values, cwd);
    return { ...own, fleet, words, maxBodyBytes: MAX_BODY_BYTES };
  },
  lake: lakePlace,
  // Of the embedded mode.
  home: (values, cwd) => ({ path: directory(values, "NIGHTLEDGER_HOME", cwd) }),
  // Undefined in embedded mode: made once in HOME.
  keys: encryptionKeys,
  clusterKeys: (values) => encryptionKeys(required(values, "NIGHTLEDGER_ENCRYPTION_KEYS")),
  webhooks: (values) => webhookConfig(required(values, "NIGHTLEDGER_WEBHOOK_SECRETS")),
  // No receiver without secrets.
  webhooksIfAny: webhookConfig,
  codec: (values) => fields(values, { token: "NIGHTLEDGER_CODEC_TOKEN" }),
  metrics: (values) => fields(values, { place: "NIGHTLEDGER_METRICS" }),
  hooks: (values, cwd): HookSettings => {
    const { hooks, lateMs, board } = settingsFile(values, cwd);
    return { hooks, lateMs, board, secret: readVariable("NIGHTLEDGER_HOOK_SECRET", values) };
  },
  institution: (values, cwd) => {
    const { institution: name, retention } = settingsFile(values, cwd);
    return { name, retention };
  },
  pending: (values, cwd) => settingsFile(values, cwd).pending,
  temporal: (values) => ({
    env: Object.fromEntries([...values].filter(([name]) => name.startsWith("TEMPORAL_"))),
  }),
  log: (values) => fields(values, { level: "NIGHTLEDGER_LOG_LEVEL" }),
} satisfies Readonly<Record<string, Reader>>;

export type ConfigParts = { readonly [P in keyof typeof READERS]: ReturnType<(typeof READERS)[P]> };

// Temporal's reader has its own rule for empty ones.
function isSet(entry: [string, string | undefined]): entry is [string, string] {
  const [name, value] = entry;
  return value !== undefined && (value.trim() !== "" || name.startsWith("TEMPORAL_"));
}

/** None without a file. @throws InputError if it can't be read */
export function readDotEnv(cwd: string): Record<string, string | undefined> {
  const path = join(cwd, ".env");
  try {
    return parseEnv(readText(path, false));
  } catch (error) {
    throw new InputError(
      `${path} can't be read (${codeOf(error)}); nothing was started. Make it a UTF-8 text file, or remove it`,
    );
  }
}

/** @throws InputError with a line for each wrong value */
function fields<const F extends Readonly<Record<string, VariableName>>>(values: Values, names: F) {
  const readers = Object.entries(names).map(([field, name]) => [field, () => readVariable(name, values)]);
  return readAll(Object.fromEntries(readers)) as { readonly [K in keyof F]: VariableValue<F[K]> };
}

function settingsFile(values: Values, cwd: string) {
  const named = readVariable("NIGHTLEDGER_CONFIG", values);
  return readConfigFile(resolve(cwd, named ?? CONFIG_FILE), named !== undefined);
}

function required(values: Values, name: VariableName): Values {
  if (!values.has(name)) throw invalid(name, "is not set");
  return values;
}

function encryptionKeys(values: Values) {
  return fields(values, { encryptionKeys: "NIGHTLEDGER_ENCRYPTION_KEYS" });
}

/** The lake's canonical address, and this machine's place for files. */
function lakePlace(values: Values, cwd: string): LakePlace {
  const place = s3Place(readVariable("NIGHTLEDGER_LAKE", values));
  // The AWS SDK reads only this process's environment.
  if (place !== undefined)
    for (const [name, value] of values) if (name.startsWith("AWS_")) process.env[name] ??= value;
  const scratch = readVariable("NIGHTLEDGER_SCRATCH", values);
  const home = directory(values, "NIGHTLEDGER_HOME", cwd);
  return {
    address: place === undefined ? directory(values, "NIGHTLEDGER_LAKE", cwd) : s3Address(place),
    scratch: {
      directory:
        scratch === undefined
          ? join(home, "scratch")
          : realDirectory("NIGHTLEDGER_SCRATCH", resolve(cwd, scratch)),
      mostBytes: readVariable("NIGHTLEDGER_SCRATCH_MB", values) * 1024 * 1024,
      memoryMb: readVariable("NIGHTLEDGER_SQL_MEMORY_MB", values),
    },
  };
}

function directory(values: Values, name: "NIGHTLEDGER_LAKE" | "NIGHTLEDGER_HOME", cwd: string): string {
  return realDirectory(name, resolve(cwd, readVariable(name, values)));
}

function webhookConfig(values: Values): WebhookConfig {
  return fields(values, { secrets: "NIGHTLEDGER_WEBHOOK_SECRETS", mode: "NIGHTLEDGER_WEBHOOK_MODE" });
}

/** Temporal's and the AWS SDK's. */
const OTHERS_SECRETS = [
  "TEMPORAL_API_KEY",
  "TEMPORAL_TLS_CLIENT_KEY_DATA",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
];

function secretsOf(values: Values): string[] {
  const ours = Object.entries<Variable>(VARIABLES).flatMap(
    ([name, { secrets }]) => secrets?.(values.get(name) ?? "") ?? [],
  );
  const others = OTHERS_SECRETS.map((name) => values.get(name) ?? "");
  return [...new Set([...ours, ...others].map((secret) => secret.trim()))].filter((secret) => secret !== "");
}
