/** Strings with the colon that makes them a key, also one that was cut off; and what else is a value. */
const TOKEN = /("(?:[^"\\]|\\.)*(?:"|$))(\s*:)?|[^\s{}[\]:,"]+/g;
const FIELD_NAME = /^"[a-z][a-z0-9_]{0,39}"$/;
const PLAIN = /^(?:true|false|null)$/;

/**
 * Shows how a JSON text is built, and of its values only their form: each letter is `x`, each digit `0`. So `"12.5O"` is
 * seen to be no number, and nobody reads a name, an amount or an account in it. It need not be valid JSON. Pure.
 */
export function maskedJson(text: string): string {
  return text.replaceAll(TOKEN, (token: string, quoted?: string, colon?: string) => {
    if (quoted === undefined) return PLAIN.test(token) ? token : maskedText(token);
    return colon !== undefined && FIELD_NAME.test(quoted) ? token : `${maskedText(quoted)}${colon ?? ""}`;
  });
}

/** A text as {@link maskedJson} shows it. Pure. */
export function maskedText(text: string): string {
  return text
    .replaceAll(/[\p{L}\p{M}]/gu, "x")
    .replaceAll(/\p{N}/gu, "0")
    .replaceAll(/[^\x20-\x7e]/gu, "•");
}
