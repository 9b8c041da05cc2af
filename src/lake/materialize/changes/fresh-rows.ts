import { isOutOfMemory } from "../../sql/duckdb.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { batchQuery } from "../batch-query.js";
import { feedBatches } from "../batches.js";
import { MONTH_NAME } from "../files/month-cut.js";
import { FRESH } from "../shared-tables.js";
import type { SourceFile } from "../sources.js";

/** Rows that SQL may hold whole beside what it writes: a night's changes of many thousand links. */
const MOST_ROWS = 50_000;

/**
 * Reads the rows to be applied into the table `FRESH`, so that they can go into files that are rewritten
 * anyway; their number by month, or undefined where they are too many for that.
 */
export async function holdFresh(
  sql: SqlSession,
  feed: readonly SourceFile[],
  rows: number,
): Promise<Map<string, number> | undefined> {
  if (rows > MOST_ROWS) return undefined;
  const queries = feedBatches(feed).map(batchQuery);
  try {
    await sql.run(`create or replace table ${FRESH} as
      select *, ${MONTH_NAME} as fresh_month from (${queries.join(" union all ")})`);
  } catch (error) {
    if (isOutOfMemory(error)) return undefined;
    throw error;
  }
  const months = await sql.rows(`select fresh_month as month, count(*) as n from ${FRESH} group by all`);
  return new Map(months.map(({ month, n }) => [String(month), Number(n)]));
}
