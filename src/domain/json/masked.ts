/** Strings (with the colon of a key, or cut off), and other values. */
const TOKEN = /("(?:[^"\\]|\\.)*(?:"|$))(\s*:)?|[^\s{}[\]:,"]+/g;
const FIELD_NAME = /^"[a-z][a-z0-9_]{0,39}"$/;
const PLAIN = /^(?:true|false|null)$/;

/**
 * The structure of a JSON text, valid or not, with each letter of its values as `x` and each digit as `0`: `"12.5O"` is
 * seen to be no number, and nobody reads a name or an amount.
 */
export function maskedJson(text: string): string {
  return text.replaceAll(TOKEN, (token: string, quoted?: string, colon?: string) => {
    if (quoted === undefined) return PLAIN.test(token) ? token : maskedText(token);
    return colon !== undefined && FIELD_NAME.test(quoted) ? token : `${maskedText(quoted)}${colon ?? ""}`;
  });
}

export function maskedText(text: string): string {
  return text
    .replaceAll(/[\p{L}\p{M}]/gu, "x")
    .replaceAll(/\p{N}/gu, "0")
    .replaceAll(/[^\x20-\x7e]/gu, "•");
}
