/**
 * A change that the service makes to a decrypted value (docs/reference/service.md, "Transforms"). The document shows no
 * quote inside an argument; a backslash before `'` and `\` is our reading.
 */
interface Transform {
  readonly name: TransformName;
  readonly arguments: readonly (string | number)[];
}

type Argument = "count" | "text" | "maybe_empty";

const FORMS = {
  to_lowercase: [],
  to_uppercase: [],
  to_ascii: [],
  prefix: ["count"],
  suffix: ["count"],
  replace: ["text", "maybe_empty"],
  date_format: ["text", "text"],
  hmac_sha256: ["text"],
  encrypt: ["text", "text"],
  wrap_quotes: [],
} as const satisfies Record<string, readonly Argument[]>;

type TransformName = keyof typeof FORMS;

/** The accepted forms, for people. */
export const TRANSFORM_FORMS =
  "to_lowercase, to_uppercase, to_ascii, prefix(<n>), suffix(<n>), replace('<from>','<to>'), " +
  "date_format('<from_format>','<to_format>'), hmac_sha256('<key>'), " +
  "encrypt('<algorithm>','<public_key>'), wrap_quotes";

/** Builds transforms as the service reads them, arguments quoted and escaped. */
export const transform = {
  toLowercase: (): string => "to_lowercase",
  toUppercase: (): string => "to_uppercase",
  toAscii: (): string => "to_ascii",
  prefix: (count: number): string => build("prefix", [count]),
  suffix: (count: number): string => build("suffix", [count]),
  replace: (from: string, to: string): string => build("replace", [from, to]),
  dateFormat: (from: string, to: string): string => build("date_format", [from, to]),
  hmacSha256: (key: string): string => build("hmac_sha256", [key]),
  encrypt: (algorithm: string, publicKey: string): string => build("encrypt", [algorithm, publicKey]),
  wrapQuotes: (): string => "wrap_quotes",
} as const;

function build(name: TransformName, given: readonly (string | number)[]): string {
  const text = transformText({ name, arguments: given });
  const problem = transformProblem(text);
  // The arguments may be a key: they are not quoted.
  if (problem !== undefined) throw new RangeError(`${name}: ${problem}. Accepted: ${TRANSFORM_FORMS}`);
  return text;
}

/** Writes a transform in its one canonical form. */
export function transformText({ name, arguments: given }: Transform): string {
  if (FORMS[name].length === 0) return name;
  return `${name}(${given.map((value) => (typeof value === "number" ? String(value) : quoted(value))).join(",")})`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** Reads a transform; undefined when it is none of the accepted forms. Spaces around arguments are let pass. */
export function parseTransform(text: string): Transform | undefined {
  const result = read(text);
  return typeof result === "string" ? undefined : result;
}

/** Why a text is not a transform, without quoting it; undefined when it is. */
export function transformProblem(text: string): string | undefined {
  const result = read(text);
  return typeof result === "string" ? result : undefined;
}

const ARGUMENT = /\s*(?:'((?:[^'\\]|\\['\\])*)'|(\d{1,9}))\s*(,|$)/suy;

function read(text: string): Transform | string {
  const [, name, list] = /^([a-z0-9_]+)(?:\((.*)\))?$/s.exec(text) ?? [];
  if (name === undefined || !isName(name)) return "not a known transform";
  const form: readonly Argument[] = FORMS[name];
  if (form.length === 0 && list !== undefined) return "arguments where none are taken";
  const given = list === undefined ? [] : argumentsOf(list);
  if (given === undefined) return "arguments that are not quoted texts or numbers";
  if (given.length !== form.length) return `${given.length} arguments instead of ${form.length}`;
  for (const [index, kind] of form.entries()) {
    const value = given[index];
    if ((kind === "count") !== (typeof value === "number")) {
      return `argument ${index + 1} is not ${kind === "count" ? "a whole number" : "a quoted text"}`;
    }
    if (kind === "text" && value === "") return `argument ${index + 1} is empty`;
  }
  return { name, arguments: given };
}

function isName(name: string): name is TransformName {
  return Object.hasOwn(FORMS, name);
}

function argumentsOf(list: string): (string | number)[] | undefined {
  const found: (string | number)[] = [];
  ARGUMENT.lastIndex = 0;
  for (;;) {
    const match = ARGUMENT.exec(list);
    if (match === null) return undefined;
    const [, text, digits, comma] = match;
    found.push(text === undefined ? Number(digits) : text.replace(/\\(['\\])/g, "$1"));
    if (comma === "") return found;
  }
}
