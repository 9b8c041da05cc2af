import type { SqlSession } from "../sql/duckdb-session.js";

const SCHEMA = "materializing";

/** Rows that leave their live file: seen by every connection of the engine, as temp tables are not. */
export const GONE = `${SCHEMA}.gone`;

/** Feed rows that leave nothing: older rows of their keys, or removals. */
export const SUPERSEDED = `${SCHEMA}.superseded`;

/** Rows to be applied, where they are few, each with its month in `fresh_month`. */
export const FRESH = `${SCHEMA}.fresh`;

/** Runs `work` with room for the shared tables and drops them afterwards. */
export async function withSharedTables<T>(sql: SqlSession, work: () => Promise<T>): Promise<T> {
  await sql.run(`create schema if not exists ${SCHEMA}`);
  try {
    return await work();
  } finally {
    await sql.run(`drop schema if exists ${SCHEMA} cascade`);
  }
}
