import { type Transform, transformOf } from "../transform.js";

/** Tax ids, ids of documents and their pictures. */
const SECRET_IDENTIFIERS: ReadonlySet<string> = new Set([
  "business.tin",
  "document.id_card.back.image",
  "document.id_card.front.image",
  "id.drivers_license_number",
  "id.itin",
  "id.ssn4",
  "id.ssn9",
  "id.us_tax_id",
]);

/** These make a custom field secret anywhere in its name. */
const SECRET_PARTS =
  /account|acct|bankacc|card|credential|iban|itin|licen[cs]e|passcode|passphrase|passport|passw|secret|socialsec|ssn|taxid|taxn|taxpayer/;
/** These only as words of their own. */
const SECRET_WORD = wordPattern(
  "bban csc cvc cvv ein key otp pan pass pin pwd routing seed sin tax tin token vat",
);
/** Short values: a prefix would show them whole. */
const SHORT_WORD = wordPattern("csc cvc cvv otp passcode pin");
const SHORT_PARTS = /ssn4|(?:first|last)(?:\d|four|six)/;

/** Characters of a secret that a `prefix` or `suffix` may leave. */
export const MOST_SHOWN = 4;

/** Whether a field must not be decrypted as it is (docs/use/vault.md, "Secrets"). */
export function isSecretField(identifier: string): boolean {
  if (SECRET_IDENTIFIERS.has(identifier)) return true;
  if (!identifier.startsWith("custom.")) return false;
  return SECRET_PARTS.test(joinedName(identifier)) || hasWord(identifier, SECRET_WORD);
}

/** Whether the transforms hide a secret field. */
export function isProtected(identifier: string, transforms: readonly string[]): boolean {
  const isShort = SHORT_PARTS.test(joinedName(identifier)) || hasWord(identifier, SHORT_WORD);
  return transforms.some((text) => {
    const transform = transformOf(text);
    return transform !== undefined && protects(transform, isShort);
  });
}

function protects({ name, arguments: [first] }: Transform, isShort: boolean): boolean {
  if (name === "hmac_sha256" || name === "encrypt") return true;
  if (name !== "prefix" && name !== "suffix") return false;
  return !isShort && Number(first) <= MOST_SHOWN;
}

/** One of the words, also as a plural or joined with words that often stand beside one. */
function wordPattern(words: string): RegExp {
  const beside =
    "(?:access|api|app|atm|auth|bank|code|credit|db|debit|encryption|hash|hmac|id|login|master|my|no|num|number|phrase|private|security|session|signing|ssh|user|value|web)*";
  return new RegExp(`^${beside}(?:${words.replaceAll(" ", "|")})s?${beside}$`);
}

/** Whether a word of the name matches: `cardPin`, `card_pin`, `card-pin2` and `CARDPin` alike. */
function hasWord(identifier: string, pattern: RegExp): boolean {
  const spaced = nameOf(identifier).replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  // Capitals before a small letter may be a word of their own (`PINCode`) or the beginning of one (`PINs`).
  const readings = [spaced, spaced.replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")];
  const words = readings.flatMap((text) => text.toLowerCase().match(/\p{L}+/gu) ?? []);
  return words.some((word) => pattern.test(word));
}

function joinedName(identifier: string): string {
  return nameOf(identifier)
    .toLowerCase()
    .replace(/[^\p{L}\d]/gu, "");
}

function nameOf(identifier: string): string {
  return identifier.slice(identifier.indexOf(".") + 1);
}
