import { constants, createHmac, createPublicKey, type KeyObject, publicEncrypt } from "node:crypto";
import { refuse } from "../http/answer.js";
import { reformatDate } from "./date-format.js";
import type { VaultValue } from "./fields.js";

type Parameter = "count" | "text" | "maybe_empty";

const FORMS: Readonly<Record<string, readonly Parameter[]>> = {
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
};

const ARGUMENT = /^(?:'(?<text>(?:[^'\\]|\\['\\])*)'|(?<count>\d{1,9}))(?:,(?=.)|$)/s;

/** A transform taken apart. */
interface ParsedTransform {
  readonly name: string;
  readonly texts: readonly string[];
  readonly count: number;
}

/**
 * Takes a transform apart (docs/reference/service.md, "Transforms"). How a quote inside an argument is written is
 * not shown: here `\'`, and `\\` for a backslash; nothing else may follow a backslash, and no spaces
 * stand between arguments.
 * @throws Refusal 400 that quotes no argument, for it may be a key.
 */
function parseTransform(text: unknown): ParsedTransform {
  const [, name = "", , list] = /^([a-z0-9_]+)(\((.*)\))?$/s.exec(String(text)) ?? [];
  const form = FORMS[name];
  if (typeof text !== "string" || !form) refuse("transforms: not one of the accepted forms");
  const given = list === undefined ? [] : argumentsOf(name, list);
  if (given.length !== form.length || (form.length === 0 && list !== undefined)) {
    refuse(`transforms: ${name} takes ${form.length} arguments`);
  }
  form.forEach((parameter, index) => {
    const isCount = typeof given[index] === "number";
    if (isCount !== (parameter === "count"))
      refuse(`transforms: ${name}: argument ${index + 1} is of the wrong kind`);
    if (parameter === "text" && given[index] === "")
      refuse(`transforms: ${name}: argument ${index + 1} is empty`);
  });
  const texts = given.filter((value) => typeof value === "string");
  return { name, texts, count: given.find((value) => typeof value === "number") ?? 0 };
}

function argumentsOf(name: string, list: string): (string | number)[] {
  const found: (string | number)[] = [];
  for (let rest = list; rest !== ""; ) {
    const match = ARGUMENT.exec(rest);
    if (!match) refuse(`transforms: ${name}: arguments must be numbers or texts in single quotes`);
    const { text, count } = match.groups ?? {};
    found.push(text === undefined ? Number(count) : text.replace(/\\(['\\])/g, "$1"));
    rest = rest.slice(match[0].length);
  }
  return found;
}

/** The names of transforms, for the log: their arguments may be keys. @throws Refusal 400 */
export function transformNames(transforms: readonly unknown[]): string[] {
  return transforms.map((text) => parseTransform(text).name);
}

/**
 * Applies transforms in their order to a decrypted datum. What is not text is written as one first.
 * @throws Refusal 400 for a transform that is none, or can't be applied to the datum.
 */
export function transformed(value: VaultValue, transforms: readonly unknown[]): VaultValue {
  if (transforms.length === 0) return value;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return transforms.map(parseTransform).reduce(apply, text);
}

function apply(value: string, { name, texts, count }: ParsedTransform): string {
  const [first = "", second = ""] = texts;
  switch (name) {
    case "to_lowercase":
      return value.toLowerCase();
    case "to_uppercase":
      return value.toUpperCase();
    case "to_ascii":
      // Letters lose their accents; what has no ASCII form is dropped.
      return value.normalize("NFKD").replace(/\P{ASCII}/gu, "");
    case "prefix":
      return [...value].slice(0, count).join("");
    case "suffix":
      return count === 0 ? "" : [...value].slice(-count).join("");
    case "replace":
      return value.replaceAll(first, () => second);
    case "date_format":
      return reformatDate(value, first, second);
    case "hmac_sha256":
      return createHmac("sha256", first).update(value).digest("hex");
    case "wrap_quotes":
      return `"${value}"`;
    default:
      return encrypted(value, first, second);
  }
}

/** Algorithms are not listed in the contract; these two stand for them. The key is base64 of DER (SPKI), or PEM. */
function encrypted(value: string, algorithm: string, publicKey: string): string {
  const paddings: Readonly<Record<string, number>> = {
    rsa_pkcs1v15: constants.RSA_PKCS1_PADDING,
    rsa_oaep_sha256: constants.RSA_PKCS1_OAEP_PADDING,
  };
  const padding = paddings[algorithm];
  if (padding === undefined) refuse(`transforms: encrypt: accepted are ${Object.keys(paddings).join(", ")}`);
  const key = keyOf(publicKey);
  try {
    return publicEncrypt({ key, padding, oaepHash: "sha256" }, Buffer.from(value)).toString("base64");
  } catch {
    return refuse("transforms: encrypt: the value does not fit into the key");
  }
}

function keyOf(text: string): KeyObject {
  try {
    return text.startsWith("-----BEGIN")
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" });
  } catch {
    return refuse("transforms: encrypt: the public key can't be read");
  }
}
