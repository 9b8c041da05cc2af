import { InputError } from "../../domain/failures.js";

/** For texts without bounds. */
const ALL_TEXTS = ["", "\u{10ffff}"] as const;

/** A column of a file; bounds are null where unknown, or without a value. */
export interface ColumnStats {
  /** `VARCHAR` in the order of UTF-8 bytes, as DuckDB's min() and max(); days as text. */
  readonly min: string | number | bigint | null;
  readonly max: string | number | bigint | null;
  readonly nullCount: number | bigint;
}

/** Only these have statistics: some readers pass others through a double. */
const STATS_COLUMNS = ["link_id", "date", "sequence"] as const;
export type StatsColumn = (typeof STATS_COLUMNS)[number];

export function boundedColumns(columns: readonly { readonly name: string }[]): StatsColumn[] {
  return STATS_COLUMNS.filter((name) => columns.some((column) => column.name === name));
}

export function statsText(
  numRecords: number | bigint,
  columns: Partial<Readonly<Record<StatsColumn, ColumnStats>>> = {},
): string {
  const minValues: Record<string, string | number> = {};
  const maxValues: Record<string, string | number> = {};
  const nullCount: Record<string, number> = {};
  for (const [name, { min, max, nullCount: nulls }] of Object.entries(columns)) {
    nullCount[name] = Number(nulls);
    const bounds = [bound(min), bound(max)] as const;
    const isLoose = name === "link_id" && bounds.includes(undefined) && Number(nulls) < Number(numRecords);
    const [low, high] = isLoose ? ALL_TEXTS : bounds;
    if (low === undefined || high === undefined) continue;
    minValues[name] = low;
    maxValues[name] = high;
  }
  return JSON.stringify({ numRecords: Number(numRecords), minValues, maxValues, nullCount });
}

/** Undefined where another tool left something out. */
export interface FileFacts {
  readonly rows: number | undefined;
  /** In the order of UTF-8 bytes. */
  readonly links: readonly [min: string, max: string] | undefined;
  readonly firstDay: string | undefined;
  readonly lastDay: string | undefined;
}

interface Stats {
  readonly numRecords?: number;
  readonly minValues?: { readonly link_id?: string; readonly date?: string };
  readonly maxValues?: { readonly link_id?: string; readonly date?: string };
}

export function factsOf({ stats }: { readonly stats?: string }): FileFacts {
  const { numRecords, minValues, maxValues } = JSON.parse(stats ?? "{}") as Stats;
  const [min, max] = [minValues?.link_id, maxValues?.link_id];
  const links = min === undefined || max === undefined ? undefined : ([min, max] as const);
  return { rows: numRecords, links, firstDay: minValues?.date, lastDay: maxValues?.date };
}

/** As far as statistics have them. */
export function rowsIn(files: Iterable<{ readonly stats?: string }>): number {
  let rows = 0;
  for (const file of files) rows += factsOf(file).rows ?? 0;
  return rows;
}

/** Whether a file may hold rows of links in a range, by UTF-8 bytes. */
export function holdsLinks(from: string, to: string): (file: Pick<FileFacts, "links">) => boolean {
  const [low, high] = [Buffer.from(from), Buffer.from(to)];
  return ({ links }) =>
    links === undefined ||
    (Buffer.compare(Buffer.from(links[0]), high) <= 0 && Buffer.compare(Buffer.from(links[1]), low) >= 0);
}

/** @throws InputError where another tool left the number out */
export function rowsOf(table: string, file: { readonly path: string; readonly stats?: string }): number {
  const { rows } = factsOf(file);
  if (rows !== undefined) return rows;
  throw new InputError(
    `File ${file.path} of table ${table} has no row count in the log. Count its rows with SQL instead.`,
  );
}

function bound(value: string | number | bigint | null): string | number | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}
