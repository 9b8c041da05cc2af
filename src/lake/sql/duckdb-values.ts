import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from "@duckdb/node-api";

/** Whole numbers of 64 bits and more are bigint; decimals, days and instants are exact text. */
export type SqlValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly SqlValue[]
  | { readonly [name: string]: SqlValue };

export function textOf(value: SqlValue | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

export function numberOf(value: SqlValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

const MICROS = 1_000_000n;
/** Microseconds beyond a Date's range: infinities, and years after 275760. */
const DATE_RANGE = 8_640_000_000_000_000_000n;

export function exactValue(value: DuckDBValue): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return value;
  if (value instanceof DuckDBDecimalValue || value instanceof DuckDBDateValue) return value.toString();
  if (value instanceof DuckDBTimestampTZValue) return isoText(value, "Z");
  if (value instanceof DuckDBTimestampValue) return isoText(value, "");
  if (value instanceof DuckDBBlobValue) return value.bytes;
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

/** Six decimals; `Z` for an instant. */
function isoText(value: DuckDBTimestampValue | DuckDBTimestampTZValue, end: "Z" | ""): string {
  const { micros } = value;
  if (micros <= -DATE_RANGE || micros >= DATE_RANGE) return value.toString();
  const below = ((micros % MICROS) + MICROS) % MICROS;
  const seconds = new Date(Number((micros - below) / 1000n)).toISOString();
  return `${seconds.slice(0, -5)}.${String(below).padStart(6, "0")}${end}`;
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Numbers that JSON can't hold become text. */
export function jsonValue(value: SqlValue): JsonValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Uint8Array) return String(new DuckDBBlobValue(value));
  if (Array.isArray(value)) return value.map(jsonValue);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, jsonValue(item)]));
}
