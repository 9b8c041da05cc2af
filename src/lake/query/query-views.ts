import { localFiles } from "../delta/data-files.js";
import type { AddFile } from "../delta/delta-actions.js";
import type { DeltaLocation } from "../delta/delta-path.js";
import { columnsOf, isExtended, type TableSpec } from "../delta/delta-schema.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { type DeltaTable, openTable, tablesOf } from "../delta/delta-table.js";
import type { Lake } from "../lake.js";
import type { DuckDb } from "../sql/duckdb.js";
import { parquetFiles, parquetRows } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName, typedColumns } from "../sql/duckdb-sql.js";
import type { ObjectStore } from "../store/object-store.js";

export interface ReadTable {
  readonly location: DeltaLocation;
  readonly snapshot: Snapshot;
}

export async function findTables(store: ObjectStore): Promise<string[]> {
  const entries = await store.list("");
  const names = entries.map((entry) => /^([^/]+)\/_delta_log\/\d{20}\./.exec(entry.key)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

export function readTable(location: DeltaLocation): Promise<ReadTable | undefined> {
  const { store, table, duckdb } = location;
  return newestOf(location, openTable(store, table, duckdb));
}

/** Undefined for no table. */
export async function newestOf(location: DeltaLocation, table: DeltaTable): Promise<ReadTable | undefined> {
  const snapshot = await table.snapshot();
  return snapshot.version === -1 ? undefined : { location, snapshot };
}

/** A view's SQL, and the local files that it reads. */
export interface TableView {
  readonly statement: string;
  readonly files: readonly string[];
}

export type SqlOf = (table: string, column: string) => string;

/**
 * The view over a table's live files; a missing table is empty, a missing column null.
 * @param columns none for other tools' tables
 */
export async function tableView(
  table: string,
  columns: TableSpec["columns"],
  read: ReadTable | undefined,
  sqlOf: SqlOf = (_, column) => sqlName(column),
): Promise<TableView> {
  if (read === undefined) return viewOf(table, "*", parquetRows([], columns));
  const { location, snapshot } = read;
  const files = await localFiles(location, snapshot.files.values());
  const own = columnsOf(table, snapshot.metadata?.schemaString ?? "");
  const known = new Set(own.map(({ name }) => name));
  const added = columns.filter(({ name }) => !known.has(name));
  const values = typedColumns([...own, ...added], (name) => (known.has(name) ? sqlOf(table, name) : "null"));
  const isWhole = files.length > 0 && !isExtended(snapshot.metadata);
  return viewOf(table, values, isWhole ? parquetFiles(files) : parquetRows(files, own), files);
}

export function viewOf(
  name: string,
  values: string,
  source: string,
  files: readonly string[] = [],
): TableView {
  return { statement: `create temp view ${sqlName(name)} as select ${values} from ${source}`, files };
}

export type LakeReader = Pick<Lake, "store" | "duckdb" | "table">;

/** A reader whose tables cache their state. */
export function lakeReader(store: ObjectStore, duckdb: DuckDb): LakeReader {
  return { store, duckdb, table: tablesOf(store, duckdb) };
}

/** For every connection of an engine. */
export function lastingView(statement: string): string {
  return statement.replace(/^create temp view/, "create view");
}

/** Runs SQL over the newest version of tables, of the files that `keep` keeps; a missing table is empty. */
export async function readTables<T>(
  lake: LakeReader,
  specs: readonly TableSpec[],
  work: (sql: SqlSession) => Promise<T>,
  keep?: (file: AddFile) => boolean,
): Promise<T> {
  const statements: string[] = [];
  for (const spec of specs) statements.push(await newestView(lake, spec, keep));
  return lake.duckdb.exclusive(async (sql) => {
    for (const statement of statements) await sql.run(statement);
    return work(sql);
  });
}

/** One view of {@link readTables}. */
export async function newestView(
  lake: LakeReader,
  spec: TableSpec,
  keep?: (file: AddFile) => boolean,
): Promise<string> {
  return snapshotView(lake, spec, await lake.table(spec.name).snapshot(), keep);
}

/** At a state that the caller has read. */
export async function snapshotView(
  { store, duckdb }: Omit<LakeReader, "table">,
  { name: table, columns }: TableSpec,
  snapshot: Snapshot,
  keep: (file: AddFile) => boolean = () => true,
): Promise<string> {
  const files = new Map([...snapshot.files].filter(([, file]) => keep(file)));
  const read = { location: { store, table, duckdb }, snapshot: { ...snapshot, files } };
  return (await tableView(table, columns, snapshot.version === -1 ? undefined : read)).statement;
}
