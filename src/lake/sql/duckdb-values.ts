import {
  DuckDBArrayValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from "@duckdb/node-api";

/** A value as SQL has it: whole numbers of 64 bits and more as bigint, decimals, days and instants as exact text. */
export type SqlValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly SqlValue[]
  | { readonly [name: string]: SqlValue };

const MICROS = 1_000_000n;

/** Microseconds since 1970 as ISO text with six decimals; `end` is `Z` for an instant. */
function isoFromMicros(micros: bigint, end: "Z" | ""): string {
  const below = ((micros % MICROS) + MICROS) % MICROS;
  const seconds = new Date(Number((micros - below) / 1000n)).toISOString();
  return `${seconds.slice(0, -5)}.${String(below).padStart(6, "0")}${end}`;
}

/** Turns a driver's value into one that is exact and that every later step understands. */
export function exactValue(value: DuckDBValue): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return value;
  if (value instanceof DuckDBDecimalValue || value instanceof DuckDBDateValue) return value.toString();
  if (value instanceof DuckDBTimestampTZValue) return instant(value.micros, "Z", value);
  if (value instanceof DuckDBTimestampValue) return instant(value.micros, "", value);
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    return value.items.map(exactValue);
  }
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([name, item]) => [name, exactValue(item)]));
  }
  if (value instanceof DuckDBMapValue) {
    return Object.fromEntries(
      value.entries.map((entry) => [String(exactValue(entry.key)), exactValue(entry.value)]),
    );
  }
  return String(value);
}

function instant(micros: bigint, end: "Z" | "", value: { toString(): string }): string {
  // Beyond the range of a Date lie only DuckDB's infinities and years after 275760.
  const inRange = micros > -8_640_000_000_000_000_000n && micros < 8_640_000_000_000_000_000n;
  return inRange ? isoFromMicros(micros, end) : value.toString();
}

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
