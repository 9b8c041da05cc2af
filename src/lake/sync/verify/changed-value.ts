import { localFiles } from "../../delta/data-files.js";
import { factsOf, holdsLinks } from "../../delta/delta-stats.js";
import type { ReadTable } from "../../query/query-views.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { columnNames, sqlText } from "../../sql/duckdb-sql.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { Problems } from "./problems.js";
import { compareRows } from "./row-differences.js";

/**
 * Says which value of an update's rows was changed in the feed, as `transactions` still has it; without it, which files
 * hold the rows.
 *
 * @param read the tables whose files SQL can read
 */
export async function changedValue(
  sql: SqlSession,
  read: ReadonlyMap<string, ReadTable>,
  link: string,
  run: string,
): Promise<string> {
  const [feed, current] = [
    await rowsOf(read, transactionChanges, link),
    await rowsOf(read, transactions, link),
  ];
  const [key, columns] = [["sequence", "link_id", "transaction_id"], transactions.columns];
  const rows = `select ${columnNames(columns)}`;
  const own = `from ${feed.rows} where link_id = ${sqlText(link)} and run_id = ${sqlText(run)}`;
  const actual = `${rows} ${own} and (${key.join(", ")}) in (select (${key.join(", ")}) from ${current.rows})`;
  const expected = `${rows} from ${current.rows} where (${key.join(", ")}) in (select (${key.join(", ")}) ${own})`;
  const { name: table } = transactionChanges;
  const compared = { table, columns, key, name: "transaction_id", source: "table transactions", ...feed };
  const problems = new Problems();
  await compareRows(sql, compared, { expected, actual }, problems);
  const [first] = problems.told;
  if (first !== undefined) return first.what;
  const files = await sql.few(`select distinct file_index::double as file ${own} order by file limit 3`);
  return `they are in ${files.map(({ file }) => `${table}/${feed.names[Number(file)]}`).join(", ")}`;
}

async function rowsOf(
  read: ReadonlyMap<string, ReadTable>,
  { name, columns }: typeof transactionChanges | typeof transactions,
  link: string,
) {
  const found = read.get(name);
  const files = [...(found?.snapshot.files.values() ?? [])].filter((file) =>
    holdsLinks(link, link)(factsOf(file)),
  );
  const paths = found === undefined ? [] : await localFiles(found.location, files);
  return { rows: parquetRows(paths, columns, ", file_index"), paths, names: files.map(({ path }) => path) };
}
