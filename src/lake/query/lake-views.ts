import type { PendingRule } from "../../domain/tables/pending-rule.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { NO_TABLE } from "../delta/delta-snapshot.js";
import { historyFiles } from "../history/history-files.js";
import { type CurrentSpec, isCurrent, isThere } from "../history/history-spec.js";
import { newestRows } from "../history/newest-rows.js";
import { ruleOf } from "../materialize/pending-rows.js";
import type { DuckDb } from "../sql/duckdb.js";
import { columnNames, sqlName, sqlText } from "../sql/duckdb-sql.js";
import type { ObjectStore } from "../store/object-store.js";
import { transactions } from "../tables/transactions.js";
import {
  findTables,
  type LakeReader,
  lakeReader,
  lastingView,
  newestOf,
  type ReadTable,
  type SqlOf,
  type TableView,
  tableView,
  viewOf,
} from "./query-views.js";
import { viewStatements } from "./views.js";

/** Tables that are there: of these, or of the whole store. */
export async function foundTables(lake: LakeReader, specs?: readonly TableSpec[]): Promise<ReadTable[]> {
  const names = specs ? readingOrder(specs).map(({ name }) => name) : await findTables(lake.store);
  const found: ReadTable[] = [];
  for (const table of names) {
    const read = await newestOf({ ...lake, table }, lake.table(table));
    if (read !== undefined) found.push(read);
  }
  return found;
}

/** Derived tables before their histories, so that none is ahead of its source. */
function readingOrder(tables: readonly TableSpec[]): TableSpec[] {
  return [...tables].sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)));
}

/** Views of tables as read; a missing table is empty, a derived one is as its history says. */
export async function lakeViews(
  found: readonly ReadTable[],
  specs: readonly TableSpec[],
  sqlOf?: SqlOf,
): Promise<TableView[]> {
  const read = new Map(found.map((table) => [table.location.table, table]));
  const known = new Map(specs.map((spec) => [spec.name, spec]));
  const views: TableView[] = [];
  for (const name of new Set([...read.keys(), ...known.keys()])) {
    const [table, spec] = [read.get(name), known.get(name)];
    const small = spec !== undefined && isCurrent(spec) ? spec : undefined;
    const history = small && read.get(small.history.name);
    if (small && history) views.push(await currentView(small, history, table));
    else views.push(await tableView(name, spec?.columns ?? [], table, sqlOf));
  }
  return views;
}

async function currentView(
  { name, columns, history: spec }: CurrentSpec,
  history: ReadTable,
  current: ReadTable | undefined,
): Promise<TableView> {
  const state = { spec, history: history.snapshot, current: current?.snapshot ?? NO_TABLE };
  const files = await historyFiles(history.location, state);
  const values = columnNames(columns);
  const source = `(${newestRows(spec, files)}) where ${isThere(spec)}`;
  return viewOf(name, values, source, [...files.current, ...files.since]);
}

/** The rule that `transactions` is made by. */
export function pendingRule(found: readonly ReadTable[]): PendingRule {
  return ruleOf(found.find(({ location }) => location.table === transactions.name)?.snapshot ?? NO_TABLE);
}

/** Makes a DuckDB file with all views; encrypted columns as stored. */
export async function writeViewFile(
  store: ObjectStore,
  duckdb: DuckDb,
  specs: readonly TableSpec[],
  path: string,
): Promise<void> {
  const found = await foundTables(lakeReader(store, duckdb), specs);
  const views = await lakeViews(found, specs);
  const made = [
    ...views.map(({ statement }) => statement),
    ...viewStatements(new Set(specs.map(({ name }) => name)), pendingRule(found)),
  ];
  await duckdb.exclusive(async (sql) => {
    await sql.run(`attach ${sqlText(path)} as made`);
    await sql.run("use made");
    for (const statement of made) await sql.run(lastingView(statement));
    for (const { name, about = "", columns } of specs) {
      await sql.run(`comment on view ${sqlName(name)} is ${sqlText(about)}`);
      for (const { name: column, about: saying = "" } of columns)
        await sql.run(`comment on column ${sqlName(name)}.${sqlName(column)} is ${sqlText(saying)}`);
    }
    await sql.run("use memory");
    await sql.run("detach made");
  });
}
