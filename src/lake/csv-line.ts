type CsvValue = string | number | boolean | null;

export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

/**
 * Writes a cell. Text that a spreadsheet would run as a formula gets a leading apostrophe, which spreadsheets hide. A
 * semicolon and a tab are quoted too: where a comma is the decimal mark, spreadsheets split there.
 */
function csvCell(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
