/** Lies in a lake, for whoever finds it without the program. */
export const README_KEY = "README.txt";

export const README = `This is a lake of Nightledger: each folder is a table of the Delta Lake format.

Read a table by its log (its folder _delta_log), as any reader of Delta tables does:

  nightledger query "select * from transactions limit 20"
  DuckDB, with its extension delta:   from delta_scan('<this folder>/transactions')
  Python:                             polars.scan_delta("<this folder>/transactions")
  without Delta, any DuckDB:          nightledger views --out lake.duckdb

Do not read *.parquet of a folder. Files stay after their rows were replaced or deleted, until
somebody vacuums the table, so around the log you see rows that are gone, and others twice.

Names that begin with an underscore belong to the program. The log of each table says what
the table and its columns mean; docs/use/tables.md of the program says more.
`;
