import { jsonFile, parquetFiles } from "../../src/lake/sql/duckdb-files.js";
import type { SqlSession } from "../../src/lake/sql/duckdb-session.js";
import { sqlText } from "../../src/lake/sql/duckdb-sql.js";
import { APPENDED_FILE, writeFiles } from "../../src/lake/tables/parquet-file.js";

const COLUMNS =
  "transaction_id, account_id, amount::decimal(28,10) as amount, sequence::bigint as sequence, date::date as date, description";

/** Turns lines of JSON into a file as the product does, in one statement. */
export async function writeWithDuckDb(sql: SqlSession, source: string, path: string): Promise<void> {
  const names = ["transaction_id", "account_id", "amount", "sequence", "date", "description"];
  const lines = jsonFile(source, {
    lines: true,
    columns: Object.fromEntries(names.map((name) => [name, "VARCHAR"])),
    maximumObjectSize: 16 * 1024 * 1024,
  });
  const query = `select ${COLUMNS} from ${lines}`;
  await writeFiles(sql, query, sqlText(path), APPENDED_FILE);
}

/** The contents of a file, read by DuckDB: all rows, different ids, and the awkward row's values as text. */
export async function readBack(
  sql: SqlSession,
  path: string,
): Promise<{ rows: number; ids: number; amount: string; sequence: string }> {
  const [counts] = await sql.rows(
    `select count(*) as rows, count(distinct transaction_id) as ids from ${parquetFiles([path])}`,
  );
  const [first] = await sql.rows(
    `select amount::varchar as amount, sequence::varchar as sequence from ${parquetFiles([path])}
    where transaction_id like '%\\_00000000' escape '\\' limit 1`,
  );
  return {
    rows: Number(counts?.rows),
    ids: Number(counts?.ids),
    amount: String(first?.amount),
    sequence: String(first?.sequence),
  };
}
