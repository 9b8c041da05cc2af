import { SEALED_MARK, type Sealer } from "../../domain/sealer.js";
import type { TableSpec } from "../delta/delta-schema.js";

/** The columns of a table that its list of columns calls encrypted. */
type EncryptedColumn<T extends TableSpec> = Extract<
  T["columns"][number],
  { readonly encrypted: true }
>["name"];

/** A text as an encrypted column holds it: sealed for that column, as base64. */
export function sealColumn<T extends TableSpec>(
  sealer: Sealer,
  table: T,
  column: EncryptedColumn<T>,
  text: string,
): string {
  return Buffer.from(sealer.seal(Buffer.from(text), contextOf(table.name, column))).toString("base64");
}

/**
 * As {@link sealColumn}, but the same text of the same owner gives the same value each time, so that rows can be
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

/**
 * A value of an encrypted column in the clear. One that was written in the clear is given as it is.
 *
 * @throws InputError when its key is not there or is another one, or the value was changed.
 */
export function openColumn(sealer: Sealer, table: string, column: string, value: string): string {
  const bytes = Buffer.from(value, "base64");
  if (bytes.toString("latin1", 0, SEALED_MARK.length) !== SEALED_MARK) return value;
  return Buffer.from(sealer.open(bytes, contextOf(table, column))).toString("utf8");
}

/** What the values of a column are sealed for: they open under it, wherever their row was copied to. */
function contextOf(table: string, column: string): string {
  return `${table}.${column}`;
}
