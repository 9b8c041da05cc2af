import { constants, createHmac, createPublicKey, type KeyObject, publicEncrypt } from "node:crypto";
import { refuse } from "../http/answer.js";
import { reformatDate } from "./date-format.js";
import type { VaultValue } from "./fields.js";
import { type ParsedTransform, parseTransform } from "./transform-text.js";

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
