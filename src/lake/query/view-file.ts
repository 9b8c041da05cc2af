import type { TableSpec } from "../delta/delta-schema.js";
import type { DuckDb } from "../sql/duckdb.js";
import { sqlName, sqlText } from "../sql/duckdb-sql.js";
import type { ObjectStore } from "../store/object-store.js";
import { foundTables, lakeViews } from "./lake-views.js";
import { viewStatements } from "./views.js";

/**
 * Makes a DuckDB file with a view for each table of a lake, over the files that are live now, and the views of a query.
 * Encrypted columns are as they are stored.
 *
 * @param path where no file is
 */
export async function writeViewFile(
  store: ObjectStore,
  duckdb: DuckDb,
  specs: readonly TableSpec[],
  path: string,
): Promise<void> {
  const views = await lakeViews(await foundTables(store, duckdb, specs), specs);
  const made = [
    ...views.map(({ statement }) => statement),
    ...viewStatements(new Set(specs.map(({ name }) => name))),
  ];
  await duckdb.exclusive(async (sql) => {
    await sql.run(`attach ${sqlText(path)} as made`);
    await sql.run("use made");
    for (const statement of made) await sql.run(statement.replace(/^create temp view/, "create view"));
    for (const { name, about = "", columns } of specs) {
      await sql.run(`comment on view ${sqlName(name)} is ${sqlText(about)}`);
      for (const { name: column, about: saying = "" } of columns)
        await sql.run(`comment on column ${sqlName(name)}.${sqlName(column)} is ${sqlText(saying)}`);
    }
    await sql.run("use memory");
    await sql.run("detach made");
  });
}
