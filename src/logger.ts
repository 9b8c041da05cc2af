import { pino, stdSerializers } from "pino";
import { openLogFile } from "./log-file.js";

const REDACTED = "[redacted]";
const SECRET_WORD = /secret|token|password|passphrase|authorization|cookie|(^|[_-])keys?$/i;
const CAMEL_CASE_KEY = /[a-z]Keys?$/;
// Shorter ones would tear words apart.
const MIN_SECRET_LENGTH = 4;
const MAX_DEPTH = 8;

/** Never standard output, which is for results. */
interface LoggerOptions {
  readonly destination: "stderr" | { readonly file: string };
  readonly level: string;
  /** Removed anywhere, also inside a message. */
  readonly secrets: readonly string[];
  /** Gets the fields of each line. */
  readonly seen?: ((fields: Readonly<Record<string, unknown>>) => void) | undefined;
}

export type Logger = pino.Logger;

export interface LogHandle {
  readonly logger: Logger;
  close(): void;
}

/** It redacts in its formatter: no caller has to think of it. */
export function createLogger({ destination, level, secrets, seen }: LoggerOptions): LogHandle {
  const sink = destination === "stderr" ? standardError() : openLogFile(destination.file);
  const scrub = scrubber(secrets);
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      // The formatter has serialized errors; pino would name their type "Object".
      serializers: { err: (error: unknown) => error },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(fields) as Record<string, unknown>,
      },
    },
    // The whole line: a child's bindings pass by the formatter.
    {
      write: (line: string) => {
        const written = scrub(JSON.stringify(redactFields(JSON.parse(line))));
        sink.write(`${written}\n`);
        seen?.(JSON.parse(written));
      },
    },
  );
  return { logger, close: () => sink.close() };
}

function standardError() {
  const stream = pino.destination({ dest: 2, sync: true });
  return { write: (line: string) => stream.write(line), close: () => stream.flushSync() };
}

/** Fields with a secret's name; errors become objects. */
function redactFields(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[deep]";
  if (value instanceof Error) return redactFields({ ...stdSerializers.err(value) }, depth);
  if (value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => redactFields(item, depth + 1));
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    SECRET_WORD.test(name) || CAMEL_CASE_KEY.test(name) ? REDACTED : redactFields(item, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** Redacts secrets in a line: plain, JSON-escaped, URL-encoded, as HTTP Basic. */
function scrubber(secrets: readonly string[]): (line: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [
      Buffer.from(`${secret}:`).toString("base64"),
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      secret,
    ]);
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (line) => longestFirst.reduce((text, form) => text.replaceAll(form, REDACTED), line);
}
