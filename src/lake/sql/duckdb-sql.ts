export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function sqlNames(names: readonly string[]): string {
  return names.map(sqlName).join(", ");
}

interface TypedColumn {
  readonly name: string;
  readonly type: string;
}

export function columnNames(columns: readonly TypedColumn[]): string {
  return sqlNames(columns.map(({ name }) => name));
}

/** Typed columns, each with the value that `sqlOf` gives, or its own. */
export function typedColumns(
  columns: readonly TypedColumn[],
  sqlOf: (name: string) => string = sqlName,
): string {
  return columns.map(({ name, type }) => `(${sqlOf(name)})::${type} as ${sqlName(name)}`).join(", ");
}

/** A list literal, as `read_parquet` takes files. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(", ")}]`;
}
