import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { readConfigFile } from "./config-file.js";
import {
  choice,
  codeOf,
  directory,
  integer,
  invalid,
  rate,
  readAll,
  required,
  unknownVariables,
  type Values,
} from "./config-values.js";
import type { AlertSettings } from "./domain/alert-settings.js";
import { InputError } from "./domain/failures.js";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
const WEBHOOK_SECRETS = "NIGHTLEDGER_WEBHOOK_SECRETS";
const ALERT_SECRET = "NIGHTLEDGER_ALERT_WEBHOOK_SECRET";
const WEBHOOK_SECRETS_FORM = "whsec_ and base64, comma-separated";
const CONFIG_FILE = "nightledger.yaml";
const MAX_BODY_BYTES = 16 * 1024 * 1024;

export interface ApiConfig {
  /** Canonical: no slash at its end. */
  readonly url: string;
  readonly key: string;
  readonly concurrency: number;
  readonly rps: number | undefined;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly maxBodyBytes: number;
  /** Directory in which the processes of one HOME share a pause that the service asked for. */
  readonly pauses?: string;
}

export interface WebhookConfig {
  /** Several while one is rotated. */
  readonly secrets: readonly string[];
  readonly mode: "test" | "live";
}

/** Which alert rules are checked after each run, and how alerts are sent. */
export interface AlertConfig {
  /** Of `nightledger.yaml`; undefined where that says nothing of alerts. */
  readonly settings: AlertSettings | undefined;
  /** `whsec_` and base64, by which webhooks are signed; undefined: they are not. */
  readonly secret: string | undefined;
}

/** The asked-for parts, and what goes with any of them. */
export type Config<Part extends keyof ConfigParts> = Pick<ConfigParts, Part> & {
  /** Words for the user: unknown variables, a key sent in the clear. */
  readonly warnings: readonly string[];
  /** Every configured secret, for the logger's redaction. */
  readonly secrets: readonly string[];
};

interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory of `.env` and of relative paths. */
  readonly cwd: string;
}

/**
 * Reads the configuration from the environment and `.env` in the working directory; the environment wins and
 * an empty variable counts as not set. Writes nothing (docs/run/configuration.md).
 *
 * @throws InputError naming each variable that is wrong, what is wrong with it and what is accepted, a line for each.
 */
export function readConfig<const Part extends keyof ConfigParts>(
  source: ConfigSource,
  needs: readonly Part[],
): Config<Part> {
  const merged = Object.entries({ ...readDotEnv(source.cwd), ...source.env });
  const values = new Map(merged.filter(isSet));
  const warnings = unknownVariables(values);
  const readers = needs.map(
    (part) => [part, () => (READERS[part] as Reader)(values, source.cwd, warnings)] as const,
  );
  const parts = readAll(Object.fromEntries(readers));
  return { ...parts, warnings, secrets: secretsOf(values) } as unknown as Config<Part>;
}

/** The scope of workflow ids and task queues: one per service and lake (docs/inside/architecture.md, "Words"). */
export function scopeOf(apiUrl: string, lakeAddress: string): string {
  return createHash("sha256").update(`${apiUrl}\n${lakeAddress}`).digest("hex").slice(0, 8);
}

/** Reads a part of the configuration; what is odd goes into the warnings. */
type Reader = (values: Values, cwd: string, warnings: string[]) => unknown;

const READERS = {
  api: (values, _cwd, warnings): ApiConfig =>
    readAll({
      url: () => apiUrl(values, warnings),
      key: () => apiKey(values),
      concurrency: () => integer(values, "NIGHTLEDGER_API_CONCURRENCY", 1, 1024) ?? 32,
      rps: () => rate(values, "NIGHTLEDGER_API_RPS"),
      headersTimeoutMs: () => integer(values, "NIGHTLEDGER_API_HEADERS_TIMEOUT_MS", 1, 600_000) ?? 30_000,
      bodyTimeoutMs: () => integer(values, "NIGHTLEDGER_API_BODY_TIMEOUT_MS", 1, 600_000) ?? 60_000,
      maxBodyBytes: () => MAX_BODY_BYTES,
    }),
  // Canonical address of the lake: the directory's real path.
  lake: (values, cwd) => ({ address: lakeAddress(values.get("NIGHTLEDGER_LAKE") ?? "lake", cwd) }),
  // Absolute path of the embedded mode's state.
  home: (values, cwd) => ({
    path: directory("NIGHTLEDGER_HOME", values.get("NIGHTLEDGER_HOME") ?? ".nightledger", cwd),
  }),
  // Undefined in embedded mode means: made once in HOME.
  keys: (values) => ({ encryptionKeys: values.get("NIGHTLEDGER_ENCRYPTION_KEYS") }),
  clusterKeys: (values) => ({
    encryptionKeys: required(values, "NIGHTLEDGER_ENCRYPTION_KEYS", "id:base64 of 32 bytes, comma-separated"),
  }),
  webhooks: (values) => {
    required(values, WEBHOOK_SECRETS, WEBHOOK_SECRETS_FORM);
    return webhookConfig(values);
  },
  // No secrets mean: no receiver is wanted.
  webhooksIfAny: webhookConfig,
  alerts: alertConfig,
  temporal: (values) => ({
    env: Object.fromEntries([...values].filter(([name]) => name.startsWith("TEMPORAL_"))),
  }),
  log: (values) => ({ level: choice(values, "NIGHTLEDGER_LOG_LEVEL", LOG_LEVELS) ?? "info" }),
} satisfies Readonly<Record<string, Reader>>;

/** The parts of the configuration; a command asks for those it uses. */
export type ConfigParts = { readonly [P in keyof typeof READERS]: ReturnType<(typeof READERS)[P]> };

// Temporal's reader has its own rule for empty ones.
function isSet(entry: [string, string | undefined]): entry is [string, string] {
  const [name, value] = entry;
  return value !== undefined && (value.trim() !== "" || name.startsWith("TEMPORAL_"));
}

/** The variables in the `.env` of a directory, none where there is no such file. @throws InputError if it can't be read. */
export function readDotEnv(cwd: string): Record<string, string | undefined> {
  const path = join(cwd, ".env");
  try {
    return parseEnv(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return {};
    throw new InputError(
      `${path} can't be read (${codeOf(error)}); nothing was started. Make it a UTF-8 text file, or remove it`,
    );
  }
}

function apiUrl(values: Values, warnings: string[]): string {
  const accepted = "an http:// or https:// address such as https://api.example.com";
  const name = "NIGHTLEDGER_API_URL";
  const text = required(values, name, accepted).trim();
  // The value is not quoted: an address with credentials would show them.
  if (!URL.canParse(text)) throw invalid(name, "is not an address", accepted);
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalid(name, "is not an HTTP address", accepted);
  if (url.username !== "" || url.password !== "") {
    throw invalid(name, "has credentials in it", `${accepted}; the key goes into NIGHTLEDGER_API_KEY`);
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text))
    throw invalid(name, "has a query or a fragment", accepted);
  if (url.protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)) {
    warnings.push(`${name} uses http: to another host, so the key is sent unencrypted; use https:`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function apiKey(values: Values): string {
  const name = "NIGHTLEDGER_API_KEY";
  const key = required(values, name, "the secret key of the service").trim();
  // A colon would end the user name of HTTP Basic.
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(key)) {
    throw invalid(
      name,
      "has a space, a colon or a character that is not ASCII",
      "the key exactly as the service issued it",
    );
  }
  return key;
}

function lakeAddress(text: string, cwd: string): string {
  const name = "NIGHTLEDGER_LAKE";
  if (/^s3:\/\/[^/]/i.test(text)) {
    throw invalid(name, "is an S3 address, which this version can't write yet", "a directory");
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw invalid(name, "is an unsupported kind of address", "a directory");
  return directory(name, text, cwd);
}

function webhookConfig(values: Values): WebhookConfig {
  const text = values.get(WEBHOOK_SECRETS);
  const secrets = text === undefined ? [] : text.split(",").map((secret) => secret.trim());
  const bad = secrets.findIndex((secret) => !isWebhookSecret(secret));
  if (bad >= 0)
    throw invalid(WEBHOOK_SECRETS, `entry ${bad + 1} is not a webhook secret`, WEBHOOK_SECRETS_FORM);
  return { secrets, mode: choice(values, "NIGHTLEDGER_WEBHOOK_MODE", ["test", "live"]) ?? "test" };
}

function alertConfig(values: Values, cwd: string): AlertConfig {
  const secret = values.get(ALERT_SECRET)?.trim();
  if (secret !== undefined && !isWebhookSecret(secret))
    throw invalid(ALERT_SECRET, "is not a webhook secret", "whsec_ and base64");
  const named = values.get("NIGHTLEDGER_CONFIG");
  const { alerts: settings } = readConfigFile(resolve(cwd, named ?? CONFIG_FILE), named !== undefined);
  return { settings, secret };
}

function isWebhookSecret(text: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]{8,}={0,2})$/.exec(text)?.[1];
  return base64 !== undefined && Buffer.from(base64, "base64").toString("base64") === base64;
}

function secretsOf(values: Values): string[] {
  const list = (name: string) => (values.get(name) ?? "").split(",").map((entry) => entry.trim());
  const encryption = list("NIGHTLEDGER_ENCRYPTION_KEYS").map((entry) => entry.slice(entry.indexOf(":") + 1));
  const single = ["NIGHTLEDGER_API_KEY", ALERT_SECRET, "TEMPORAL_API_KEY", "TEMPORAL_TLS_CLIENT_KEY_DATA"];
  const secrets = [...single.map((name) => (values.get(name) ?? "").trim()), ...encryption];
  return [...new Set([...secrets, ...list("NIGHTLEDGER_WEBHOOK_SECRETS")])].filter((secret) => secret !== "");
}
