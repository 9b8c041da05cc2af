import { rm } from "node:fs/promises";
import type { TableSpec } from "../../delta/delta-schema.js";
import { type ParquetFooter, readParquetFooter } from "../../parquet/parquet-footer.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlText, typedColumns } from "../../sql/duckdb-sql.js";
import type { FileStorage } from "./file-storage.js";

/** Makes the footer of an empty file of a table: files with another schema lack a column, or another tool wrote them. */
export async function ownFooter(
  sql: SqlSession,
  storage: FileStorage,
  { columns }: TableSpec,
): Promise<ParquetFooter> {
  const path = await storage.scratch("parquet");
  const nothing = typedColumns(columns, () => "null");
  await sql.run(`copy (select ${nothing} limit 0) to ${sqlText(path)} (format parquet)`);
  const footer = await readParquetFooter(path);
  await rm(path, { force: true });
  if (footer === undefined) throw new Error("SQL wrote a Parquet file whose footer can't be read.");
  return footer;
}
