import { SEALED_MARK, type Sealer } from "../../domain/sealer.js";
import type { TableSpec } from "../delta/delta-schema.js";

/** The columns of a table that its column list marks as encrypted. */
type EncryptedColumn<T extends TableSpec> = Extract<
  T["columns"][number],
  { readonly encrypted: true }
>["name"];

/** Seals a text for an encrypted column, as base64. */
export function sealColumn<T extends TableSpec>(
  sealer: Sealer,
  table: T,
  column: EncryptedColumn<T>,
  text: string,
): string {
  return Buffer.from(sealer.seal(Buffer.from(text), contextOf(table.name, column))).toString("base64");
}

/**
 * Seals as {@link sealColumn} does, but the same text of the same owner always gives the same value, so that rows can be
 * compared without a key.
 */
export function sealColumnRepeatably<T extends TableSpec>(
  sealer: Sealer,
  table: T,
  column: EncryptedColumn<T>,
  { owner, text }: { readonly owner: string; readonly text: string },
): string {
  const sealed = sealer.sealRepeatably(Buffer.from(text), contextOf(table.name, column), owner);
  return Buffer.from(sealed).toString("base64");
}

/** Seals what a row has in the encrypted columns of its table as {@link sealColumnRepeatably} does. */
export function sealRowRepeatably(
  sealer: Sealer,
  table: TableSpec,
  owner: string,
  row: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const sealed = table.columns.flatMap(({ name, encrypted }) => {
    const text = row[name];
    return encrypted && typeof text === "string"
      ? [[name, sealColumnRepeatably(sealer, table, name as never, { owner, text })]]
      : [];
  });
  return { ...row, ...Object.fromEntries(sealed) };
}

/**
 * Opens a value of an encrypted column; a value that was written in plain text is returned as it is.
 *
 * @throws InputError when its key is missing or another one, or the value was changed.
 */
export function openColumn(sealer: Sealer, table: string, column: string, value: string): string {
  const bytes = Buffer.from(value, "base64");
  if (bytes.toString("latin1", 0, SEALED_MARK.length) !== SEALED_MARK) return value;
  return Buffer.from(sealer.open(bytes, contextOf(table, column))).toString("utf8");
}

/** The context that a column's values are sealed under: they still open where their row is copied elsewhere. */
function contextOf(table: string, column: string): string {
  return `${table}.${column}`;
}
