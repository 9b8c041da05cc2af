import { localFiles } from "../../delta/data-files.js";
import type { Column } from "../../delta/delta-schema.js";
import { factsOf, holdsLinks } from "../../delta/delta-stats.js";
import { sameIn } from "../../history/history-spec.js";
import type { ReadTable } from "../../query/query-views.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import type { SqlRow, SqlSession } from "../../sql/duckdb-session.js";
import { columnNames, sqlName, sqlNames, sqlText } from "../../sql/duckdb-sql.js";
import { textOf } from "../../sql/duckdb-values.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { type Problem, Problems } from "../chain-check.js";

interface Compared {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  /** By which a message names the row. */
  readonly name: string;
  /** In words, as in "the feed says". */
  readonly source: string;
  /** Local paths, and names in the log. */
  readonly paths: readonly string[];
  readonly names: readonly string[];
}

/** SQL of all columns, as the source makes them and as the table has them. */
interface ComparedPart {
  readonly expected: string;
  readonly actual: string;
}

/** Compares keys and hashes first, then only the rows that differ. */
export async function compareRows(
  sql: SqlSession,
  compared: Compared,
  { expected, actual }: ComparedPart,
  problems: Problems,
): Promise<void> {
  const key = sqlNames(compared.key);
  const values = compared.columns.map(({ name }) => `${sqlName(name)}::varchar`);
  const hashed = `select ${key}, md5_number(to_json([${values.join(", ")}])::varchar) as digest`;
  await sql.run(`create or replace temp table expected_row as ${hashed} from (${expected})`);
  await sql.run(`create or replace temp table actual_row as ${hashed} from (${actual})`);
  const keys = compared.key.map(
    (name) => `coalesce(e.${sqlName(name)}, a.${sqlName(name)}) as ${sqlName(name)}`,
  );
  await sql.run(`create or replace temp table differing as
    select ${keys.join(", ")}, case when a.digest is null then 'missing' when e.digest is null then 'extra' else 'other' end as kind
    from expected_row e full join actual_row a on ${sameIn(compared.key, "e", "a")} where e.digest is distinct from a.digest
    union all select ${key}, 'twice' from actual_row group by ${key} having count(*) > 1`);
  const [counted] = await sql.rowsAtOnce("select count(*) as n from differing");
  const total = Number(counted?.n);
  const left = Math.min(total, problems.room);
  problems.add(left > 0 ? await firstProblems(sql, compared, { expected, actual }, left) : [], total);
  for (const table of ["expected_row", "actual_row", "differing"]) await sql.run(`drop table ${table}`);
}

async function firstProblems(
  sql: SqlSession,
  compared: Compared,
  { expected, actual }: ComparedPart,
  most: number,
): Promise<Problem[]> {
  const { key, table, columns, paths, names } = compared;
  await sql.run(
    `create or replace temp table first_rows as from differing order by ${sqlNames(key)} limit ${most}`,
  );
  const semi = `semi join first_rows on ${sameIn(key, "r", "first_rows")}`;
  const keyOf = (row: SqlRow) => JSON.stringify(key.map((name) => String(row[name])));
  const read = async (query: string) =>
    new Map((await sql.rows(`select r.* from (${query}) r ${semi}`)).map((row) => [keyOf(row), row]));
  const [wanted, found] = [await read(expected), await read(actual)];
  const placed = await read(
    `select ${sqlNames(key)}, file_index from ${parquetRows(paths, columns, "file_index")}`,
  );
  return (await sql.rows("from first_rows")).map((row) => {
    const at = keyOf(row);
    const one = found.get(at) ?? wanted.get(at) ?? row;
    const file = names[Number(placed.get(at)?.file_index)];
    const place = row.kind === "missing" || file === undefined ? table : `${table}/${file}`;
    const words = wordsOf(compared, String(row.kind), wanted.get(at) ?? {}, found.get(at) ?? {});
    return { table, link_id: textOf(one.link_id), run_id: null, what: `${place}: ${words}` };
  });
}

function wordsOf({ columns, name, source }: Compared, kind: string, wanted: SqlRow, found: SqlRow): string {
  const id = found[name] ?? wanted[name];
  if (kind === "missing") return `${id} is missing; the ${source} has it`;
  if (kind === "extra") return `${id} has a row; the ${source} has none`;
  if (kind === "twice") return `${id} has more than one row`;
  const column = columns.find((one) => String(wanted[one.name]) !== String(found[one.name]));
  if (column === undefined) return `the row of ${id} is not that of the ${source}`;
  if (column.encrypted) return `${column.name} of ${id} is not that of the ${source}`;
  const text = (row: SqlRow) => valueText(column, row);
  return `${column.name} of ${id} is ${text(found)}; the ${source} says ${text(wanted)}`;
}

/** An amount keeps two decimals, and more only where it has them. */
function valueText({ name, type }: Column, row: SqlRow): string {
  const text = String(row[name]);
  return type.startsWith("DECIMAL") ? text.replace(/(\.\d\d\d*?)0+$/, "$1") : text;
}

/** Says which value was changed in the feed, as `transactions` still has it, or which files hold the rows. */
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
  const [first] = problems.first;
  if (first !== undefined) return first.what;
  const files = await sql.rowsAtOnce(
    `select distinct file_index::double as file ${own} order by file limit 3`,
  );
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
  return { rows: parquetRows(paths, columns, "file_index"), paths, names: files.map(({ path }) => path) };
}
