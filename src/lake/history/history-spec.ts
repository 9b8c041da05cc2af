import type { TableSpec } from "../delta/delta-schema.js";
import { sqlName } from "../sql/duckdb-sql.js";

/** When an observation was made; the newest row of a key is the one with the greatest. */
export const OBSERVED_AT = "observed_at";
/** The last column of a history: true in a row that says its key is no longer listed, null in all others. */
export const GONE = "gone";
/** Columns that say when a key was observed, not its state. */
const OBSERVING: ReadonlySet<string> = new Set(["run_id", OBSERVED_AT, GONE]);

/** A history of changes: one row each time a key is observed to differ from its last row (docs/use/tables.md, "Histories"). */
export interface HistorySpec extends TableSpec {
  /** Columns that identify what a row is about. */
  readonly key: readonly string[];
  /** Those of the key that identify whose list it was in. */
  readonly owner: readonly string[];
}

/** A small table that holds the newest row of each key of a history, without gone keys. */
export interface CurrentSpec extends TableSpec {
  readonly history: HistorySpec;
}

export function isHistory(spec: TableSpec): spec is HistorySpec {
  return "key" in spec;
}

export function isCurrent(spec: TableSpec): spec is CurrentSpec {
  return "history" in spec;
}

export function currentOf(history: HistorySpec): CurrentSpec {
  const columns = history.columns.filter(({ name }) => name !== GONE);
  return { name: `${history.name}_current`, columns, history };
}

/** SQL of whether two relations agree in some columns; null equals null. */
export function sameIn(columns: readonly string[], one: string, other: string): string {
  return columns
    .map(sqlName)
    .map((name) => `${one}.${name} is not distinct from ${other}.${name}`)
    .join(" and ");
}

/** Gives the columns in which an observation is compared with the last row: all except the key and when it was observed. */
export function comparedColumns({ columns, key }: HistorySpec): string[] {
  return columns.map(({ name }) => name).filter((name) => !OBSERVING.has(name) && !key.includes(name));
}
