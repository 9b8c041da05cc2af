import type { AddFile } from "../delta/delta-actions.js";
import type { DeltaLocation } from "../delta/delta-location.js";
import { newestSnapshot } from "../delta/delta-log.js";
import { fileKey } from "../delta/delta-path.js";
import { assertReadable } from "../delta/delta-protocol.js";
import { columnsOf, isExtended, type TableSpec } from "../delta/delta-schema.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName } from "../sql/duckdb-sql.js";
import type { ObjectStore } from "../store/object-store.js";

/** One table of a lake with the state that it is read at. */
export interface ReadTable {
  readonly location: DeltaLocation;
  readonly snapshot: Snapshot;
}

/** The names of a lake's tables, found by their logs. */
export async function findTables(store: ObjectStore): Promise<string[]> {
  const entries = await store.list("");
  const names = entries.map((entry) => /^([^/]+)\/_delta_log\/\d{20}\./.exec(entry.key)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The newest state of a table, undefined where it is not there. */
export async function readTable(location: DeltaLocation): Promise<ReadTable | undefined> {
  const snapshot = await newestSnapshot(location);
  assertReadable(location.table, snapshot);
  return snapshot.version === -1 ? undefined : { location, snapshot };
}

/** A view of a table: the SQL that makes it, and the local files that it reads. */
export interface TableView {
  readonly statement: string;
  readonly files: readonly string[];
}

/** The SQL of a column's value. */
export type SqlOf = (table: string, column: string) => string;

/** The view over the live files of a table; one without files is empty but has its columns. */
export async function tableView(
  { location, snapshot }: ReadTable,
  sqlOf: SqlOf = (_, column) => sqlName(column),
): Promise<TableView> {
  const { store, table, duckdb } = location;
  const columns = columnsOf(table, snapshot.metadata?.schemaString ?? "");
  const files: string[] = [];
  for (const { path } of snapshot.files.values()) {
    files.push(await store.download(fileKey(table, path), duckdb.scratchDirectory));
  }
  const values = columns.map(({ name, type }) => {
    const value = files.length === 0 ? "null" : sqlOf(table, name);
    return `cast(${value} as ${type}) as ${sqlName(name)}`;
  });
  const extended = isExtended(snapshot.metadata);
  const source =
    files.length === 0
      ? "where false"
      : `from ${extended ? withColumns(files, columns) : parquetFiles(files)}`;
  return { statement: `create temp view ${sqlName(table)} as select ${values.join(", ")} ${source}`, files };
}

/** Rows of files of which some, or all, may lack a column: it is null there. */
function withColumns(
  files: readonly string[],
  columns: readonly { readonly name: string; readonly type: string }[],
): string {
  const empty = columns.map(({ name, type }) => `null::${type} as ${sqlName(name)}`).join(", ");
  return `(select * from ${parquetFiles(files, { byName: true })}
    union all by name select ${empty} where false)`;
}

/** The empty view of a table that no commit has made yet. */
export function emptyView({ name, columns }: TableSpec): TableView {
  const values = columns.map((column) => `null::${column.type} as ${sqlName(column.name)}`);
  return {
    statement: `create temp view ${sqlName(name)} as select ${values.join(", ")} where false`,
    files: [],
  };
}

/** What is needed of a lake to read its tables. */
export type LakeReader = Pick<Lake, "store" | "duckdb" | "table">;

/** Runs SQL over the newest version of tables, each a view of its name; one that is not there is empty. */
export async function readTables<T>(
  lake: LakeReader,
  specs: readonly TableSpec[],
  work: (sql: SqlSession) => Promise<T>,
): Promise<T> {
  const statements: string[] = [];
  for (const spec of specs) statements.push(await newestView(lake, spec));
  return lake.duckdb.exclusive(async (sql) => {
    for (const statement of statements) await sql.run(statement);
    return work(sql);
  });
}

/**
 * The SQL of a view over the newest version of a table, empty where it is not there.
 *
 * @param keep leaves out files that hold nothing of what is asked
 */
export async function newestView(
  { table, store, duckdb }: LakeReader,
  spec: TableSpec,
  keep?: (file: AddFile) => boolean,
): Promise<string> {
  const newest = await table(spec.name).snapshot();
  if (newest.version === -1) return emptyView(spec).statement;
  const files = keep ? new Map([...newest.files].filter(([, file]) => keep(file))) : newest.files;
  const location = { store, table: spec.name, duckdb };
  return (await tableView({ location, snapshot: { ...newest, files } })).statement;
}
