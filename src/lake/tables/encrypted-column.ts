import { SEALED_MARK, type Sealer } from "../../domain/sealer.js";
import type { TableSpec } from "../delta/delta-schema.js";

type Row = Readonly<Record<string, unknown>>;

/** An encrypted value; a class, since a customer's text could look like one. */
export class StoredText {
  constructor(readonly text: string) {}

  toJSON(): string {
    return this.text;
  }
}

/**
 * Encrypts a row's encrypted columns, except null and {@link StoredText}.
 * @throws Error for a value that is no text, and without a key
 */
export function encryptedRow(sealer: Sealer | undefined, { name: table, columns }: TableSpec, row: Row): Row {
  const encrypted = columns.filter((column) => column.encrypted).map(({ name }) => name);
  const stored = encrypted.map((column) => [column, storedValue(sealer, table, column, row[column])]);
  return { ...row, ...Object.fromEntries(stored) };
}

/** Gives equal values to equal texts of an owner: rows are compared without a key. */
export function sealRowRepeatably(
  sealer: Sealer,
  { name: table, columns }: TableSpec,
  owner: string,
  row: Row,
): Row {
  const sealed = columns.flatMap(({ name, encrypted }) => {
    const text = row[name];
    if (!encrypted || typeof text !== "string") return [];
    const bytes = sealer.sealRepeatably(Buffer.from(text), contextOf(table, name), owner);
    return [[name, new StoredText(Buffer.from(bytes).toString("base64"))]];
  });
  return { ...row, ...Object.fromEntries(sealed) };
}

/** Opens a value; plain text stays. @throws InputError for another key or a changed value */
export function openColumn(sealer: Sealer, table: string, column: string, value: string): string {
  const bytes = Buffer.from(value, "base64");
  if (bytes.toString("latin1", 0, SEALED_MARK.length) !== SEALED_MARK) return value;
  return Buffer.from(sealer.open(bytes, contextOf(table, column))).toString("utf8");
}

function storedValue(
  sealer: Sealer | undefined,
  table: string,
  column: string,
  value: unknown,
): StoredText | null {
  if (value === null || value === undefined) return null;
  if (value instanceof StoredText) return value;
  if (typeof value !== "string") throw new Error(`${table}.${column} is encrypted, and takes texts only`);
  if (sealer === undefined)
    throw new Error(`${table}.${column} is encrypted, and the lake was opened without keys`);
  const sealed = sealer.seal(Buffer.from(value), contextOf(table, column));
  return new StoredText(Buffer.from(sealed).toString("base64"));
}

/** Values still open where their row is copied elsewhere. */
function contextOf(table: string, column: string): string {
  return `${table}.${column}`;
}
