/**
 * What the service does to a decrypted value (docs/reference/service.md, "Transforms"). We write a backslash before `'`
 * and `\` in arguments, of which the contract says nothing.
 */
export interface Transform {
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

export const TRANSFORM_FORMS =
  "to_lowercase, to_uppercase, to_ascii, prefix(<n>), suffix(<n>), replace('<from>','<to>'), " +
  "date_format('<from_format>','<to_format>'), hmac_sha256('<key>'), " +
  "encrypt('<algorithm>','<public_key>'), wrap_quotes";

/** Why a text is not a transform, without quoting it. */
export function transformProblem(text: string): string | undefined {
  const result = read(text);
  return typeof result === "string" ? result : undefined;
}

export function transformOf(text: string): Transform | undefined {
  const result = read(text);
  return typeof result === "string" ? undefined : result;
}

export function hmacTransform(key: string): string {
  return `hmac_sha256(${quoted(key)})`;
}

/** Splits a list at commas outside quotes and parentheses. */
export function transformList(text: string): string[] {
  const list = [""];
  let isQuoted = false;
  let depth = 0;
  for (const [sign] of text.matchAll(/\\.|./gsu)) {
    if (sign === "'") isQuoted = !isQuoted;
    else if (sign === "(" && !isQuoted) depth += 1;
    else if (sign === ")" && !isQuoted) depth -= 1;
    if (sign === "," && !isQuoted && depth === 0) list.push("");
    else list.push((list.pop() ?? "") + sign);
  }
  return list.map((one) => one.trim()).filter((one) => one !== "");
}

/** The canonical form of a transform; another text as it is. */
export function canonicalTransform(text: string): string {
  const result = read(text);
  if (typeof result === "string" || result.arguments.length === 0) return text;
  const written = result.arguments.map((value) => (typeof value === "number" ? value : quoted(value)));
  return `${result.name}(${written.join(",")})`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
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
