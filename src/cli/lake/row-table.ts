import Table from "cli-table3";

/** Characters that would move the cursor, break a line or turn the text around. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Rows as a table for people: a rule below the header only, and every row on one line. */
export function tableOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return "no rows";
  const view = new Table({ head: names.map(printable), style: { head: [], border: [] } });
  for (const row of rows) view.push(names.map((name) => printable(textOf(row[name]))));
  // Top border, header, and the rule below it; cli-table3 draws the same rule between rows, or none at all.
  const lines = view.toString().split("\n");
  return lines.filter((line, at) => at < 3 || !line.startsWith("├")).join("\n");
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A text without what would move the cursor, break the line or turn it around. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (one) => {
    return SHORT[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
