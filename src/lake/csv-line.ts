/** A value of a CSV file. */
type CsvValue = string | number | boolean | null;

/** A line of CSV, ended by CRLF as RFC 4180 has it. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

/**
 * A value as a cell. A text that a spreadsheet would run as a formula gets an apostrophe in front, which
 * spreadsheets don't show.
 */
function csvCell(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
