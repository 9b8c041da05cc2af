import type { TableSpec } from "../delta/delta-schema.js";
import { NO_TABLE } from "../delta/delta-snapshot.js";
import { historyFiles } from "../history/history-files.js";
import { type CurrentSpec, GONE, isCurrent } from "../history/history-spec.js";
import { EVERYTHING, newestRows } from "../history/newest-rows.js";
import { sqlName } from "../sql/duckdb-sql.js";
import { emptyView, type ReadTable, type SqlOf, type TableView, tableView } from "./query-views.js";

/**
 * The order in which tables are read: small tables before their histories, so that none is ahead of what it is made
 * from.
 */
export function readingOrder(tables: readonly TableSpec[]): TableSpec[] {
  return [...tables].sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)));
}

/**
 * The views of tables, each at the state that it was read at; a table that is not there is empty. That of a small table
 * is what its history says, whether the small table has been brought up or not.
 */
export async function lakeViews(
  found: readonly ReadTable[],
  specs: readonly TableSpec[],
  sqlOf?: SqlOf,
): Promise<TableView[]> {
  const read = new Map(found.map((table) => [table.location.table, table]));
  const views: TableView[] = [];
  const histories = new Map(specs.filter(isCurrent).map((spec) => [spec.name, spec]));
  for (const name of new Set([...read.keys(), ...specs.map((spec) => spec.name)])) {
    const [table, current] = [read.get(name), histories.get(name)];
    const history = current && read.get(current.history.name);
    const spec = specs.find((one) => one.name === name);
    if (current !== undefined && history !== undefined)
      views.push(await currentView(current, history, table));
    else if (table !== undefined) views.push(await tableView(table, sqlOf));
    else if (spec !== undefined) views.push(emptyView(spec));
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
  const values = columns.map((column) => sqlName(column.name)).join(", ");
  return {
    statement: `create temp view ${sqlName(name)} as
      select ${values} from (${newestRows(spec, files, EVERYTHING)}) where ${GONE} is not true`,
    files: [...files.current, ...files.since],
  };
}
