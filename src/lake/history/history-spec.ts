import type { TableSpec } from "../delta/delta-schema.js";
import type { DerivedTable } from "../materialize/derived-table.js";
import { sqlName } from "../sql/duckdb-sql.js";

/** The newest row of a key has the greatest. */
export const OBSERVED_AT = "observed_at";

/**
 * A history's last column: `gone` is true where the key is no longer listed, else null; `change_type` says what was
 * done.
 */
export type HistoryMark = "gone" | "change_type";
type Change = "created" | "updated" | "removed";

/** Which keys a list must contain; a missing one was deleted. */
export type ListedKeys = "all" | Windowed | "some";

interface Windowed {
  readonly since: string;
  /** A new value of it may come with rows of any day, such as an account added to a link. */
  readonly per: string;
}

/** A slowly changing table: a row each time a key differs from its last row (docs/use/tables.md, "Histories"). */
export interface HistorySpec extends TableSpec {
  readonly key: readonly string[];
  /** Key columns that identify whose list it was in. */
  readonly owner: readonly string[];
  /** Its derived table. */
  readonly current: string;
  readonly mark: HistoryMark;
  readonly lists: ListedKeys;
  /** An observation's null in these means what the last row has: not every run knows them. */
  readonly kept?: readonly string[];
}

/** The newest row of each key, without gone keys. */
export interface CurrentSpec extends TableSpec {
  readonly history: HistorySpec;
}

export function isHistory(spec: TableSpec): spec is HistorySpec {
  return "key" in spec;
}

export function isCurrent(spec: TableSpec): spec is CurrentSpec {
  return "history" in spec;
}

/** All columns except the mark. */
export function currentOf(history: HistorySpec): CurrentSpec {
  const columns = history.columns.filter(({ name }) => name !== history.mark);
  return {
    name: history.current,
    about: `The last row of each key of \`${history.name}\` that is there`,
    columns,
    history,
  };
}

export function derivedOf(history: HistorySpec): DerivedTable {
  return {
    table: currentOf(history),
    source: history,
    key: history.key,
    order: OBSERVED_AT,
    gone: `not (${isThere(history)})`,
  };
}

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

export function markOf({ mark }: HistorySpec, change: Change): string {
  if (mark === "change_type") return `'${change}'`;
  return change === "removed" ? "true" : "null::boolean";
}

export function isThere(spec: HistorySpec, relation?: string): string {
  const column = relation === undefined ? spec.mark : `${relation}.${spec.mark}`;
  return `${column} is distinct from ${markOf(spec, "removed")}`;
}

/** Null equals null. */
export function sameIn(columns: readonly string[], one: string, other: string): string {
  return columns
    .map(sqlName)
    .map((name) => `${one}.${name} is not distinct from ${other}.${name}`)
    .join(" and ");
}

/** All columns except the key and the time. */
export function comparedColumns({ columns, key, mark }: HistorySpec): string[] {
  const others = new Set(["run_id", OBSERVED_AT, mark, ...key]);
  return columns.map(({ name }) => name).filter((name) => !others.has(name));
}
