import { type Transform, transformOf } from "../transform.js";

/** Identifiers whose value opens or identifies something by itself: tax ids, ids of documents and their pictures. */
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

/** What makes a custom field secret wherever its name has it, however the name is written. */
const SECRET_PARTS =
  /account|acct|bankacc|card|credential|iban|itin|licen[cs]e|passcode|passphrase|passport|passw|secret|socialsec|ssn|taxid|taxn/;
/** The same, for words that are parts of harmless ones. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  "bban csc cvc cvv ein key otp pan pass pin pwd routing seed sin tax tin token vat".split(" "),
);
/** Values of few characters: what a cut leaves of them is all of them. */
const SHORT_WORDS: ReadonlySet<string> = new Set("csc cvc cvv otp pin ssn4".split(" "));

/** How much of a secret a `prefix` or `suffix` may leave. */
export const MOST_SHOWN = 4;

/** Whether a field is a secret, which must not be decrypted as it is (docs/use/vault.md, "Secrets"). */
export function isSecretField(identifier: string): boolean {
  if (SECRET_IDENTIFIERS.has(identifier)) return true;
  if (!identifier.startsWith("custom.")) return false;
  const words = wordsOf(identifier);
  return SECRET_PARTS.test(words.join("")) || words.some((word) => SECRET_WORDS.has(word));
}

/** Whether what the transforms leave of a secret field no longer shows it. */
export function isProtected(identifier: string, transforms: readonly string[]): boolean {
  const isShort = wordsOf(identifier).some((word) => SHORT_WORDS.has(word));
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

/** The words of a field's name behind its group, in lower case: `cardNumber`, `card_number` and `card-number` alike. */
function wordsOf(identifier: string): string[] {
  const name = identifier.slice(identifier.indexOf(".") + 1);
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
}
