import type { TableSpec } from "../delta/delta-schema.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { sqlNames } from "../sql/duckdb-sql.js";
import { transactionChanges, transactions } from "../tables/transactions.js";

/** A table that holds the newest row of each key of its source, except keys that are gone (docs/inside/rules.md, "Materialize"). */
export interface DerivedTable {
  readonly table: TableSpec;
  readonly source: TableSpec;
  readonly key: readonly string[];
  /** SQL of what grows with every row of a key. */
  readonly order: string;
  /** SQL of whether a row of the source says that its key is gone. */
  readonly gone: string;
  /** The column by whose months the rows are split into files; without it, a commit writes the whole table anew. */
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

/** SQL of a row's place as one number, over {@link placedRows}. */
export const PLACE = `(file_index::bigint * ${2 ** 40} + file_row_number)`;

/** SQL of the rows of files and of their places; the files may lack columns. */
export function placedRows({ columns }: Pick<TableSpec, "columns">, paths: readonly string[]): string {
  return parquetRows(paths, columns, "file_index", "file_row_number");
}

/** SQL of each key of some rows of the source, with the `place` of its newest row, and how many `versions` it has there. */
export function newestPlaces({ key, order }: Pick<DerivedTable, "key" | "order">, rows: string): string {
  return `select ${sqlNames(key)}, arg_max(${PLACE}, ${order}) as place, count(*) as versions
    from ${rows} group by ${sqlNames(key)}`;
}
