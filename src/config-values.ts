import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { InputError } from "./domain/failures.js";

/** Every variable of Nightledger's own; `TEMPORAL_*` are read by `@temporalio/envconfig`. */
export const VARIABLES = [
  "NIGHTLEDGER_API_URL",
  "NIGHTLEDGER_API_KEY",
  "NIGHTLEDGER_API_CONCURRENCY",
  "NIGHTLEDGER_API_RPS",
  "NIGHTLEDGER_API_HEADERS_TIMEOUT_MS",
  "NIGHTLEDGER_API_BODY_TIMEOUT_MS",
  "NIGHTLEDGER_LAKE",
  "NIGHTLEDGER_HOME",
  "NIGHTLEDGER_ENCRYPTION_KEYS",
  "NIGHTLEDGER_WEBHOOK_SECRETS",
  "NIGHTLEDGER_WEBHOOK_MODE",
  "NIGHTLEDGER_ALERT_WEBHOOK_SECRET",
  "NIGHTLEDGER_CONFIG",
  "NIGHTLEDGER_LOG_LEVEL",
] as const;
type Variable = (typeof VARIABLES)[number];

/** The variables that are set, the environment over `.env`. */
export type Values = ReadonlyMap<string, string>;

/** An InputError about a variable: what is wrong, and what is accepted. */
export function invalid(name: Variable, problem: string, accepted: string): InputError {
  return new InputError(`${name} ${problem}; nothing was started. Accepted: ${accepted}`);
}

/**
 * Reads several values, so that everything that is wrong is named at once.
 *
 * @throws InputError with a line for each value that is wrong.
 */
export function readAll<const R extends Readonly<Record<string, () => unknown>>>(
  readers: R,
): { readonly [name in keyof R]: ReturnType<R[name]> } {
  const problems: string[] = [];
  const read = Object.entries(readers).map(([name, reader]) => {
    try {
      return [name, reader()];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push(error.message);
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new InputError([...new Set(problems)].join("\n"));
  return Object.fromEntries(read);
}

export function required(values: Values, name: Variable, accepted: string): string {
  const value = values.get(name);
  if (value === undefined) throw invalid(name, "is not set", `${accepted}, in the environment or in .env`);
  return value;
}

export function integer(values: Values, name: Variable, min: number, max: number): number | undefined {
  const text = values.get(name)?.trim();
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw invalid(name, `is ${JSON.stringify(text)}`, `an integer from ${min} to ${max}`);
}

/** Calls per second, fractions allowed; undefined when not set. */
export function rate(values: Values, name: Variable): number | undefined {
  const text = values.get(name)?.trim();
  if (text === undefined) return undefined;
  const value = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw invalid(
    name,
    `is ${JSON.stringify(text)}`,
    "calls per second as a positive number; leave it out for no limit",
  );
}

export function choice<const T extends string>(
  values: Values,
  name: Variable,
  accepted: readonly T[],
): T | undefined {
  const text = values.get(name)?.trim();
  if (text === undefined) return undefined;
  const found = accepted.find((value) => value === text);
  if (found === undefined) throw invalid(name, `is ${JSON.stringify(text)}`, accepted.join(", "));
  return found;
}

/** A directory by its real path as far as it exists, so that it has one scope however it is named. */
export function directory(name: Variable, text: string, cwd: string): string {
  const path = resolve(cwd, text);
  if (path.includes("\0")) throw invalid(name, "has a NUL character", "a directory");
  const real = realPath(name, path);
  if (statSync(real, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw invalid(
      name,
      `is ${JSON.stringify(path)}, which is not a directory`,
      "a directory, existing or new",
    );
  }
  return real;
}

function realPath(name: Variable, path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT" && dirname(path) !== path)
      return join(realPath(name, dirname(path)), basename(path));
    throw invalid(
      name,
      `is ${JSON.stringify(path)}, which can't be reached (${codeOf(error)})`,
      "a directory",
    );
  }
}

/** A warning for each variable that looks like ours and isn't. */
export function unknownVariables(values: Values): string[] {
  const known: readonly string[] = VARIABLES;
  return [...values.keys()]
    .filter((name) => name.startsWith("NIGHTLEDGER_") && !known.includes(name))
    .map((name) => `${name} is not a Nightledger variable and was ignored; did you mean ${nearest(name)}?`);
}

function nearest(name: string): string {
  return [...VARIABLES].sort((a, b) => distance(name, a) - distance(name, b))[0] ?? VARIABLES[0];
}

// Levenshtein's.
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
