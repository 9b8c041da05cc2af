import type { SqlSession } from "../sql/duckdb-session.js";

const SCHEMA = "materializing";

/** Rows that leave their live file. Every connection of the engine sees it, unlike a temp table. */
export const GONE = `${SCHEMA}.gone`;

/** Feed rows that leave nothing: older rows of their keys, or removals. */
export const SUPERSEDED = `${SCHEMA}.superseded`;

/** The shelf of each month with new rows, by its number. */
export const SHELF_OF_MONTH = `${SCHEMA}.shelf_of_month`;

export async function withSharedTables<T>(sql: SqlSession, work: () => Promise<T>): Promise<T> {
  await sql.run(`create schema if not exists ${SCHEMA}`);
  try {
    return await work();
  } finally {
    await sql.run(`drop schema if exists ${SCHEMA} cascade`);
  }
}
