/** Writes a string as a SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Writes a name as a SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Writes strings as a SQL list literal, the form in which `read_parquet` and `read_json` take files. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(", ")}]`;
}
