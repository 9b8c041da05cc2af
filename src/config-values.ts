import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { InputError } from "./domain/failures.js";
import { isS3Address, s3Place } from "./domain/lake-address.js";
import { nearestOf } from "./domain/words/nearest.js";

export interface Variable {
  /** Undefined for no text. Messages quote no secret. */
  readonly value: z.ZodType<unknown, string | undefined>;
  readonly accepted: string;
  /** Secrets in its text, for the logger to hide. */
  readonly secrets?: (text: string) => readonly string[];
}

// Not trimmed.
const asIs = z.string({ error: "is not set" });
const text = asIs.trim();
const quoted = ({ input }: { readonly input?: unknown }) => `is ${JSON.stringify(input)}`;
const entries = (list: string) => list.split(",").map((entry) => entry.trim());
const directory = asIs.refine((path) => !path.includes("\0"), "has a NUL character");

function number(form: RegExp, min: number, max: number) {
  const isRight = (digits: string) => form.test(digits) && Number(digits) >= min && Number(digits) <= max;
  return text.refine(isRight, { error: quoted }).transform(Number);
}

function integer(max: number, unset: number) {
  return { value: number(/^\d{1,9}$/, 1, max).default(unset), accepted: `an integer from 1 to ${max}` };
}

function choice<const T extends string>(words: readonly T[], unset: NoInfer<T>) {
  return { value: text.pipe(z.enum(words, { error: quoted })).default(unset), accepted: words.join(", ") };
}

const RATE = {
  value: number(/^\d{1,6}(\.\d{1,6})?$/, 0.000001, 999_999.999999).optional(),
  accepted: "calls per second as a positive number; leave it out for no limit",
};

/** `TEMPORAL_*` are read by `@temporalio/envconfig`. */
export const VARIABLES = {
  NIGHTLEDGER_API_URL: {
    // An address may hold credentials, so it is not quoted.
    value: text
      .refine((url) => URL.canParse(url), { error: "is not an address", abort: true })
      .transform((url, context) => {
        const { protocol, username, password, origin, pathname } = new URL(url);
        if (!/^https?:$/.test(protocol)) context.addIssue("is not an HTTP address");
        if (username !== "" || password !== "") context.addIssue("has credentials in it");
        if (/[?#]/.test(url)) context.addIssue("has a query or a fragment");
        return `${origin}${pathname}`.replace(/\/+$/, "");
      }),
    accepted:
      "an http:// or https:// address such as https://api.example.com; the key goes into NIGHTLEDGER_API_KEY",
  },
  NIGHTLEDGER_API_KEY: {
    // A colon would end the user name of HTTP Basic.
    value: text.regex(/^[\x21-\x39\x3b-\x7e]+$/, "has a space, a colon or a character that is not ASCII"),
    accepted: "the secret key exactly as the service issued it",
    secrets: (key) => [key],
  },
  NIGHTLEDGER_API_CONCURRENCY: integer(1024, 32),
  NIGHTLEDGER_API_RPS: RATE,
  NIGHTLEDGER_API_FLEET_CONCURRENCY: {
    value: number(/^\d{1,9}$/, 1, 1_000_000).optional(),
    accepted: "an integer from 1 to 1000000; leave it out for no limit",
  },
  NIGHTLEDGER_API_FLEET_RPS: RATE,
  NIGHTLEDGER_API_HEADERS_TIMEOUT_MS: integer(600_000, 30_000),
  NIGHTLEDGER_API_BODY_TIMEOUT_MS: integer(600_000, 60_000),
  NIGHTLEDGER_LAKE: {
    value: directory
      .refine((path) => !isS3Address(path) || s3Place(path) !== undefined, "is no address of a bucket")
      .refine(
        (path) => isS3Address(path) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(path),
        "is an unsupported kind of address",
      )
      .default("lake"),
    accepted: "a directory, or s3://bucket/prefix",
  },
  NIGHTLEDGER_HOME: { value: directory.default(".nightledger"), accepted: "a directory" },
  NIGHTLEDGER_SCRATCH: { value: directory.optional(), accepted: "a directory" },
  NIGHTLEDGER_SCRATCH_MB: integer(100_000_000, 10_240),
  NIGHTLEDGER_SQL_MEMORY_MB: integer(1_000_000, 512),
  NIGHTLEDGER_ENCRYPTION_KEYS: {
    value: asIs.optional(),
    accepted: "id:base64 of 32 bytes, comma-separated",
    secrets: (keys) => entries(keys).map((entry) => entry.slice(entry.indexOf(":") + 1)),
  },
  NIGHTLEDGER_WEBHOOK_SECRETS: {
    value: text
      .transform((list, context) => {
        const bad = entries(list).findIndex((secret) => !isWebhookSecret(secret));
        if (bad >= 0) context.addIssue(`entry ${bad + 1} is not a webhook secret`);
        return entries(list);
      })
      .default([]),
    accepted: "whsec_ and base64, comma-separated",
    secrets: entries,
  },
  NIGHTLEDGER_WEBHOOK_MODE: choice(["test", "live"], "test"),
  NIGHTLEDGER_HOOK_SECRET: {
    value: text.refine(isWebhookSecret, "is not a webhook secret").optional(),
    accepted: "whsec_ and base64",
    secrets: (secret) => [secret],
  },
  NIGHTLEDGER_CODEC_TOKEN: {
    value: text.regex(
      /^[A-Za-z0-9._~-]{24,}$/,
      "is shorter than 24 characters, or has others than letters, digits, . _ ~ and -",
    ),
    accepted: "24 characters or more that nobody can guess",
    secrets: (token) => [token],
  },
  NIGHTLEDGER_METRICS: {
    value: text
      .transform((given, context) => {
        if (/^https?:\/\/\S+$/.test(given) && URL.canParse(given)) return { otlp: given };
        const [, host = "", port = ""] = /^(\[[0-9a-f:]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(given) ?? [];
        if (host === "" || Number(port) < 1 || Number(port) > 65_535)
          context.addIssue(`is ${JSON.stringify(given)}`);
        return { host, port: Number(port) };
      })
      .optional(),
    accepted: "host:port for Prometheus, such as 127.0.0.1:9464, or the http(s) address of an OTLP collector",
  },
  NIGHTLEDGER_CONFIG: { value: asIs.optional(), accepted: "a file of settings" },
  NIGHTLEDGER_LOG_LEVEL: choice(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info"),
} as const satisfies Readonly<Record<string, Variable>>;

export type VariableName = keyof typeof VARIABLES;
export type VariableValue<N extends VariableName> = z.output<(typeof VARIABLES)[N]["value"]>;

/** The value, or the default. @throws InputError */
export function readVariable<N extends VariableName>(
  name: N,
  values: ReadonlyMap<string, string>,
): VariableValue<N> {
  const { value }: Variable = VARIABLES[name];
  const parsed = value.safeParse(values.get(name));
  if (parsed.success) return parsed.data as VariableValue<N>;
  throw invalid(name, parsed.error.issues[0]?.message ?? "is invalid");
}

/** What is wrong, and what is accepted. */
export function invalid(name: VariableName, problem: string): InputError {
  const where = problem === "is not set" ? ", in the environment or in .env" : "";
  return new InputError(
    `${name} ${problem}; nothing was started. Accepted: ${VARIABLES[name].accepted}${where}`,
  );
}

/** @throws InputError with a line for each wrong value */
export function readAll<const R extends Readonly<Record<string, () => unknown>>>(
  readers: R,
): { readonly [name in keyof R]: ReturnType<R[name]> } {
  const problems = new Set<string>();
  const read = Object.entries(readers).map(([name, reader]) => {
    try {
      return [name, reader()];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.add(error.message);
      return [name, undefined];
    }
  });
  if (problems.size > 0) throw new InputError([...problems].join("\n"));
  return Object.fromEntries(read);
}

/** Real as far as it exists, for one scope under every name. @throws InputError */
export function realDirectory(name: VariableName, path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    if (codeOf(error) === "ENOENT" && dirname(path) !== path)
      return join(realDirectory(name, dirname(path)), basename(path));
    throw invalid(name, `is ${JSON.stringify(path)}, which can't be reached (${codeOf(error)})`);
  }
  throw invalid(name, `is ${JSON.stringify(path)}, which is not a directory`);
}

/** Variables that look like ours and are none. */
export function unknownVariables(names: readonly string[]): string[] {
  const known = Object.keys(VARIABLES);
  // A hook's command has those of its run.
  const unknown = names.filter((name) => /^NIGHTLEDGER_(?!RUN_)/.test(name) && !known.includes(name));
  return unknown.map((name) => {
    const near = nearestOf(known, name, Number.POSITIVE_INFINITY);
    return `${name} is not a Nightledger variable and was ignored; did you mean ${near}?`;
  });
}

function isWebhookSecret(secret: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]{8,}={0,2})$/.exec(secret)?.[1];
  return base64 !== undefined && Buffer.from(base64, "base64").toString("base64") === base64;
}

/** Empty where no file is there and none is required. @throws where it can't be read, or is not UTF-8 */
export function readText(path: string, isRequired: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT" && !isRequired) return "";
    throw error;
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
