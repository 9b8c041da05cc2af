/** A string as a SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as a SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Strings as a SQL list literal, as `read_parquet` and `read_json` take files. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(", ")}]`;
}
