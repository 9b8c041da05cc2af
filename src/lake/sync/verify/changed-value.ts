import { localFiles } from "../../delta/data-files.js";
import { factsOf, holdsLinks } from "../../delta/delta-stats.js";
import type { ReadTable } from "../../query/query-views.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlName, sqlText } from "../../sql/duckdb-sql.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";

const VALUES = transactions.columns.filter(
  ({ name }) => !["link_id", "transaction_id", "sequence"].includes(name),
);

/** SQL of the first value of a row that differs between the feed, `f`, and `transactions`, `t`; null where none does. */
const DIFFERENCE = `coalesce(${VALUES.map(({ name }) => {
  const [fed, current] = [`f.${sqlName(name)}`, `t.${sqlName(name)}`];
  const words = `${sqlText(`${name} of `)} || transaction_id || ' is ' || coalesce(${fed}::varchar, 'null') || '; transactions has ' || coalesce(${current}::varchar, 'null')`;
  return `case when ${fed} is distinct from ${current} then ${words} end`;
}).join(", ")})`;

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
  const own = `link_id = ${sqlText(link)} and run_id = ${sqlText(run)}`;
  const [found] = await sql.few(`select f.file_index::double as file, ${DIFFERENCE} as what
    from (from ${feed.rows} where ${own}) f join ${current.rows} t using (link_id, transaction_id, sequence)
    where what is not null order by sequence limit 1`);
  if (found !== undefined) return `${feed.names[Number(found.file)]}: ${String(found.what)}`;
  const files = await sql.few(
    `select distinct file_index::double as file from ${feed.rows} where ${own} order by file limit 3`,
  );
  return `they are in ${files.map(({ file }) => feed.names[Number(file)]).join(", ")}`;
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
  const rows = parquetRows(paths, columns, ", file_index");
  return { rows, names: files.map(({ path }) => `${name}/${path}`) };
}
