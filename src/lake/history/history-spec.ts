import type { TableSpec } from "../delta/delta-schema.js";
import { sqlName } from "../sql/duckdb-sql.js";

/** When an observation was made; the newest row of a key is the one with the greatest. */
export const OBSERVED_AT = "observed_at";
/** True in a row that says that its key was no longer listed; null in all others. The last column of a history. */
export const GONE = "gone";
/** Columns that say when something was observed, not how it was. */
const ASKING: ReadonlySet<string> = new Set(["run_id", OBSERVED_AT, GONE]);

/** A history of changes: a row where an observation of a key differs from the last one (docs/use/tables.md, "Histories"). */
export interface HistorySpec extends TableSpec {
  /** Columns that tell what a row is about. */
  readonly key: readonly string[];
  /** Those of the key that tell in whose list it was. */
  readonly owner: readonly string[];
}

/** A small table that holds the newest row of each key of a history, without those that are gone. */
export interface CurrentSpec extends TableSpec {
  readonly history: HistorySpec;
}

/** Whether a table is a history of changes. */
export function isHistory(spec: TableSpec): spec is HistorySpec {
  return "key" in spec;
}

/** Whether a table holds the newest rows of a history. */
export function isCurrent(spec: TableSpec): spec is CurrentSpec {
  return "history" in spec;
}

/** The small table of a history: its columns but `gone`. */
export function currentOf(history: HistorySpec): CurrentSpec {
  const columns = history.columns.filter(({ name }) => name !== GONE);
  return { name: `${history.name}_current`, columns, history };
}

/** SQL of whether rows of two relations have the same values in some columns; null equals null. */
export function sameIn(columns: readonly string[], one: string, other: string): string {
  return columns
    .map(sqlName)
    .map((name) => `${one}.${name} is not distinct from ${other}.${name}`)
    .join(" and ");
}

/** Columns that an observation and the last one are compared in: all but those of its asking, and the key. */
export function comparedColumns({ columns, key }: HistorySpec): string[] {
  return columns.map(({ name }) => name).filter((name) => !ASKING.has(name) && !key.includes(name));
}
