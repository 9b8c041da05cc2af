import type { TableSpec } from "../delta/delta-schema.js";
import type { DerivedTable } from "../materialize/derived-table.js";
import { sqlName } from "../sql/duckdb-sql.js";

/** When an observation was made; the newest row of a key is the one with the greatest. */
export const OBSERVED_AT = "observed_at";

/** The last column of a history: `gone` is true where its key is no longer listed, else null; `change_type` says what was done. */
export type HistoryMark = "gone" | "change_type";
type Change = "created" | "updated" | "removed";

/** Which of an owner's keys a list holds, and by its silence says to be gone: all, those of its window, or just some. */
export type ListedKeys = "all" | Windowed | "some";

interface Windowed {
  /** The column with the day. */
  readonly since: string;
  /** A column of which a new value may come with rows of any day, such as an account that is added to a link. */
  readonly per: string;
}

/** A history of changes: one row each time a key is observed to differ from its last row (docs/use/tables.md, "Histories"). */
export interface HistorySpec extends TableSpec {
  /** Columns that identify what a row is about. */
  readonly key: readonly string[];
  /** Those of the key that identify whose list it was in. */
  readonly owner: readonly string[];
  /** Name of its small table. */
  readonly current: string;
  readonly mark: HistoryMark;
  readonly lists: ListedKeys;
  /** Columns that not every run knows: where an observation has null, it means what the last row has. */
  readonly kept?: readonly string[];
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

/** Gives the small table of a history: all its columns except the mark. */
export function currentOf(history: HistorySpec): CurrentSpec {
  const columns = history.columns.filter(({ name }) => name !== history.mark);
  return {
    name: history.current,
    about: `The last row of each key of \`${history.name}\` that is there`,
    columns,
    history,
  };
}

/** What the small table of a history is derived by. */
export function derivedOf(history: HistorySpec): DerivedTable {
  return {
    table: currentOf(history),
    source: history,
    key: history.key,
    order: OBSERVED_AT,
    gone: `not (${isThere(history)})`,
  };
}

/** The type of each mark, and what it says. */
export const MARKS = {
  gone: [
    "BOOLEAN",
    "true: no longer listed; the other columns repeat the row before. Null in every other row",
  ],
  change_type: [
    "VARCHAR",
    "`created`, `updated` or `removed`; a `removed` row repeats the values of the row before",
  ],
} as const;

/** SQL of the mark of a row that says so. */
export function markOf({ mark }: HistorySpec, change: Change): string {
  if (mark === "change_type") return `'${change}'`;
  return change === "removed" ? "true" : "null::boolean";
}

/** SQL of whether a row of a relation says that its key is there. */
export function isThere(spec: HistorySpec, relation?: string): string {
  const column = relation === undefined ? spec.mark : `${relation}.${spec.mark}`;
  return `${column} is distinct from ${markOf(spec, "removed")}`;
}

/** SQL of whether two relations agree in some columns; null equals null. */
export function sameIn(columns: readonly string[], one: string, other: string): string {
  return columns
    .map(sqlName)
    .map((name) => `${one}.${name} is not distinct from ${other}.${name}`)
    .join(" and ");
}

/** Gives the columns in which an observation is compared with the last row: all except the key and when it was observed. */
export function comparedColumns({ columns, key, mark }: HistorySpec): string[] {
  const others = new Set(["run_id", OBSERVED_AT, mark, ...key]);
  return columns.map(({ name }) => name).filter((name) => !others.has(name));
}
