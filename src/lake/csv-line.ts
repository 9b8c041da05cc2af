type CsvValue = string | number | boolean | null;

export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

/**
 * A leading apostrophe keeps spreadsheets from running a text as a formula. Semicolons and tabs are quoted too: with a
 * comma as decimal mark, spreadsheets split there.
 */
function csvCell(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
