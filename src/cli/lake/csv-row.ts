import type { JsonValue } from "../../lake/sql/duckdb-values.js";

/** Writes values as a line of CSV, exactly; null is nothing, and an empty text is quoted. */
export function csvRow(values: readonly JsonValue[]): string {
  return values.map(csvCell).join(",");
}

function csvCell(value: JsonValue): string {
  if (value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
