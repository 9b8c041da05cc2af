import type { SqlValue } from "./duckdb-values.js";

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * A SQL value as JSON without losing a digit: whole numbers beyond 2^53 and decimals as text, NaN and the
 * infinities as text because JSON has none.
 */
export function jsonValue(value: SqlValue): JsonValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(jsonValue);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, jsonValue(item)]));
}
