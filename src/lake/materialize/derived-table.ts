import type { TableSpec } from "../delta/delta-schema.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { sqlNames } from "../sql/duckdb-sql.js";
import { transactionChanges, transactions } from "../tables/transactions.js";

/** The newest row of each key of a source, except gone keys (docs/inside/rules.md, "Materialize"). */
export interface DerivedTable {
  readonly table: TableSpec;
  readonly source: TableSpec;
  readonly key: readonly string[];
  /** SQL of what grows with a key's rows. */
  readonly order: string;
  /** SQL of whether the key is gone. */
  readonly gone: string;
  /** Rows are split into files by its months; without it, a commit writes the whole table. */
  readonly day?: string;
}

export const TRANSACTIONS: DerivedTable = {
  table: transactions,
  source: transactionChanges,
  key: ["link_id", "transaction_id"],
  order: "sequence",
  gone: "change_type = 'removed'",
  day: "date",
};

/** A row's place as one number, over {@link placedRows}. */
export const PLACE = `(file_index::bigint * ${2 ** 40} + file_row_number)`;

/** Rows with their places; files may lack columns. */
export function placedRows({ columns }: Pick<TableSpec, "columns">, paths: readonly string[]): string {
  return parquetRows(paths, columns, "file_index", "file_row_number");
}

/** Each key with the `place` of its newest row, and its number of `versions`. */
export function newestPlaces({ key, order }: Pick<DerivedTable, "key" | "order">, rows: string): string {
  return `select ${sqlNames(key)}, arg_max(${PLACE}, ${order}) as place, count(*) as versions
    from ${rows} group by ${sqlNames(key)}`;
}
