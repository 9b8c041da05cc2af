/** A text of JSON, with the colon behind it if it is a key; or a number. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Makes texts of the JSON numbers in some fields of a valid JSON text, digit by digit. Whoever parses the number itself
 * (`JSON.parse`, DuckDB) makes a double of it, which can't hold `12345678901234567.89`.
 */
export function withNumbersAsText(json: string, fields: ReadonlySet<string>): string {
  let key: string | undefined;
  return json.replace(TOKEN, (token, text: string | undefined, colon: string | undefined) => {
    if (text === undefined) return key !== undefined && fields.has(key) ? `"${token}"` : token;
    if (colon !== undefined) key = text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
    return token;
  });
}
