import type { TableSpec } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { emptyViewStatement, viewStatement } from "./query-views.js";

/** Runs SQL over the newest version of tables, each a view of its name; one that is not there is empty. */
export async function readTables<T>(
  lake: Lake,
  specs: readonly TableSpec[],
  work: (sql: SqlSession) => Promise<T>,
): Promise<T> {
  const statements: string[] = [];
  for (const spec of specs) {
    const snapshot = await lake.table(spec.name).snapshot();
    const location = { store: lake.store, table: spec.name, duckdb: lake.duckdb };
    const isThere = snapshot.version >= 0;
    statements.push(isThere ? await viewStatement({ location, snapshot }) : emptyViewStatement(spec));
  }
  return lake.duckdb.exclusive(async (sql) => {
    for (const statement of statements) await sql.run(statement);
    return work(sql);
  });
}
