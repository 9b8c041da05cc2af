import { InputError } from "../domain/input-error.js";

/** Longer texts get no bounds at all: a bound cut to size must be rounded, and readers differ in how. */
const LONGEST_BOUND = 256;

/** What is known of one column of one file. Bounds are null where every value is null. */
export interface ColumnStats {
  /** `VARCHAR` bounds in the order of their UTF-8 bytes, as DuckDB's min() and max() give them; days as text. */
  readonly min: string | number | bigint | null;
  readonly max: string | number | bigint | null;
  readonly nullCount: number | bigint;
}

/** The only columns with statistics (LAKE.md, Delta): others would go through a double in some reader. */
export type StatsColumn = "link_id" | "date" | "sequence";

/** The `stats` text of an added file. */
export function statsText(
  numRecords: number | bigint,
  columns: Partial<Readonly<Record<StatsColumn, ColumnStats>>> = {},
): string {
  const minValues: Record<string, string | number> = {};
  const maxValues: Record<string, string | number> = {};
  const nullCount: Record<string, number> = {};
  for (const [name, { min, max, nullCount: nulls }] of Object.entries(columns)) {
    nullCount[name] = Number(nulls);
    const [low, high] = [bound(min), bound(max)];
    if (low === undefined || high === undefined) continue;
    minValues[name] = low;
    maxValues[name] = high;
  }
  return JSON.stringify({ numRecords: Number(numRecords), minValues, maxValues, nullCount });
}

/**
 * The number of rows in a file's statistics.
 * @throws InputError where another tool left them out.
 */
export function rowsOf(table: string, file: { readonly path: string; readonly stats?: string }): number {
  const { numRecords } = JSON.parse(file.stats ?? "{}") as { numRecords?: number };
  if (numRecords !== undefined) return numRecords;
  throw new InputError(
    `File ${file.path} of table ${table} has no row count in the log. Count its rows with SQL instead.`,
  );
}

function bound(value: string | number | bigint | null): string | number | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return value.length > LONGEST_BOUND ? undefined : value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}
