import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlText } from "../../sql/duckdb-sql.js";

/**
 * Rows that a file of `transactions` is cut to. A night's few changes of old rows hit one file each, which is
 * rewritten whole: large files make nights slow, small ones are many.
 */
export const FILE_ROWS = 4_096;

/** Months with fewer rows share files, so that dates strewn over centuries don't make a file a month. */
const OWN_FILE_ROWS = FILE_ROWS / 4;

/** One month's place among a statement's files: `files` of them from number `first` on. */
interface MonthFiles {
  readonly month: string;
  readonly rows: number;
  readonly first: number;
  readonly files: number;
}

/** Gives each month its files; months come in order. */
function monthFiles(months: readonly { readonly month: string; readonly rows: number }[]): MonthFiles[] {
  const cut: MonthFiles[] = [];
  let next = 0;
  let shared = 0;
  for (const { month, rows } of months) {
    if (rows < OWN_FILE_ROWS) {
      if (shared === 0 || shared + rows > FILE_ROWS) {
        next += 1;
        shared = 0;
      }
      shared += rows;
      cut.push({ month, rows, first: next - 1, files: 1 });
      continue;
    }
    shared = 0;
    const files = Math.max(1, Math.round(rows / FILE_ROWS));
    cut.push({ month, rows, first: next, files });
    // Rounding may move the last link one file on.
    next += files + 1;
  }
  return cut;
}

/**
 * Fills the temp table `cut(month, link_id, first, parts)` for the rows of a narrow query with `link_id` and
 * `date`: a month's links lie side by side in its files, so that a job of few links touches few of them.
 */
export async function cutByMonth(sql: SqlSession, narrow: string): Promise<void> {
  await sql.run(`create or replace temp table month_link as
    select ${MONTH} as month, link_id, count(*) as n from (${narrow}) group by all`);
  const months = await sql.rows(
    "select month::varchar as month, sum(n)::bigint as n from month_link group by all order by all",
  );
  const files = monthFiles(months.map(({ month, n }) => ({ month: String(month), rows: Number(n) })));
  await sql.run(
    "create or replace temp table month_file (month date, total bigint, first bigint, files bigint)",
  );
  if (files.length > 0) {
    const values = files.map((m) => `(${sqlText(m.month)}::date, ${m.rows}, ${m.first}, ${m.files})`);
    await sql.run(`insert into month_file values ${values.join(", ")}`);
  }
  await sql.run(`create or replace temp table cut as
    select month, link_id,
      first + least(files - 1, (before * files) // total) as first,
      greatest(1, round(n * files / total))::bigint as parts
    from (
      select month, link_id, n,
        sum(n) over (partition by month order by link_id)::bigint - n as before
      from month_link
    ) join month_file using (month)`);
}

/** The month of a row, as a day; rows that another tool left without one lie together. */
const MONTH = `date_trunc('month', coalesce("date", date '1970-01-01'))::date`;

/** The month as `YYYY-MM`. */
export const MONTH_NAME = `left(${MONTH}::varchar, 7)`;

/** A query's rows with the number of their file in `cut_file`, by the temp table `cut`. */
export function withFile(query: string): string {
  return `select source.*, cut.first + (hash(source.transaction_id) % cut.parts::ubigint)::bigint as cut_file
    from (${query}) source
    join cut on cut.month = ${MONTH.replace('"date"', 'source."date"')} and cut.link_id = source.link_id`;
}
