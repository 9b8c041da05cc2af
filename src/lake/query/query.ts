import type { DuckDBConnection } from "@duckdb/node-api";
import { InputError } from "../../domain/failures.js";
import type { Sealer } from "../../domain/sealer.js";
import { columnsOf, type TableSpec } from "../delta/delta-schema.js";
import { rowsOf } from "../delta/delta-stats.js";
import { createDuckDb } from "../sql/duckdb.js";
import { exactPath } from "../sql/duckdb-files.js";
import { createSession, type SqlColumn, type SqlSession } from "../sql/duckdb-session.js";
import { sqlList, sqlText } from "../sql/duckdb-sql.js";
import { type JsonValue, jsonValue } from "../sql/duckdb-values.js";
import type { ObjectStore } from "../store/object-store.js";
import { Decryption } from "./decryption.js";
import { foundTables, lakeViews } from "./lake-views.js";
import type { ReadTable } from "./query-views.js";
import { readingStatement } from "./reading-statement.js";
import { viewStatements } from "./views.js";

export interface TableSummary {
  readonly table: string;
  readonly version: number;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: ReturnType<typeof columnsOf>;
}

interface QueryOptions {
  readonly scratchDirectory: string;
  /** The tables to look for, empty if they do not exist yet; without them the query finds all tables of the store. */
  readonly tables?: readonly TableSpec[];
  readonly memoryLimitMb?: number;
  /** Opens the encrypted columns of `tables`; without it they appear as stored. */
  readonly sealer?: Sealer;
}

export type QueryRow = Readonly<Record<string, JsonValue>>;

interface ResultOptions {
  /** Is told the columns before the first row. */
  began?(columns: readonly SqlColumn[]): void;
  /** Absolute path of a Parquet file that gets the rows; what is given is their `Count`. */
  readonly parquet?: string;
}

/** SQL over the tables of a lake, each at its newest version when the query starts. */
export interface LakeQuery {
  listTables(): Promise<TableSummary[]>;
  /**
   * Runs one statement that reads, and gives its rows in batches, as exact JSON values.
   * @throws InputError with DuckDB's words if it refuses the statement, or if the statement would write.
   */
  query(sql: string, options?: ResultOptions): AsyncIterableIterator<QueryRow[]>;
  close(): Promise<void>;
}

/** Opens a lake for reading, with its own engine beside the one that loads. */
export function openQuery(store: ObjectStore, options: QueryOptions): LakeQuery {
  const { scratchDirectory, memoryLimitMb = 512, sealer, tables: specs = [] } = options;
  const duckdb = createDuckDb({ scratchDirectory, memoryLimitMb });

  const tables = () => foundTables(store, duckdb, options.tables);

  async function* query(statement: string, { began, parquet }: ResultOptions = {}) {
    const found = await tables();
    // An engine can't be unlocked, so each query has its own. It has one thread if SQL calls JavaScript: a second one
    // could wait for JavaScript while JavaScript closes the engine and waits for that thread.
    const locked = createDuckDb({ scratchDirectory, memoryLimitMb, ...(sealer && { threads: 1 }) });
    let connection: DuckDBConnection | undefined;
    let decryption: Decryption | undefined;
    try {
      connection = await locked.connect();
      const sql = createSession(connection);
      decryption = sealer && new Decryption(connection, sealer, specs);
      const views = await lakeViews(found, specs, decryption?.sqlOf);
      for (const view of views) await sql.run(view.statement);
      const known = new Set(specs.map(({ name }) => name));
      for (const view of viewStatements(known)) await sql.run(view);
      const files = views.flatMap((view) => view.files);
      await lock(sql, parquet === undefined ? files : [...files, parquet]);
      const reading = await readingStatement(connection, statement);
      const read = parquet === undefined ? reading : await copying(sql, reading, parquet);
      for await (const batch of sql.stream(read, [], began)) {
        yield batch.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonValue(value)])),
        );
      }
    } catch (error) {
      throw refusalOf(decryption?.causeOf(error) ?? error);
    } finally {
      connection?.closeSync();
      await locked.close();
    }
  }

  return {
    query,
    listTables: async () => (await tables()).map(summaryOf).sort((a, b) => (a.table < b.table ? -1 : 1)),
    close: () => duckdb.close(),
  };
}

function summaryOf({ location: { table }, snapshot }: ReadTable): TableSummary {
  const files = [...snapshot.files.values()];
  return {
    table,
    version: snapshot.version,
    files: files.length,
    rows: files.reduce((sum, file) => sum + rowsOf(table, file), 0),
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    columns: columnsOf(table, snapshot.metadata?.schemaString ?? ""),
  };
}

/** Gives the statement that writes what another one reads; a view holds that one, whatever ends it. */
async function copying(sql: SqlSession, reading: string, path: string): Promise<string> {
  await sql.run(`create temp view written_rows as ${reading}`);
  return `copy (from temp.written_rows) to ${sqlText(path)} (format parquet, compression zstd, use_tmp_file false)`;
}

/**
 * Restricts an engine, for good, to these files and its own spill. DuckDB compares the name in the query,
 * which for a path with special characters is the pattern that matches it alone.
 */
async function lock(sql: SqlSession, files: readonly string[]): Promise<void> {
  const paths = new Set(files.flatMap((file) => [file, exactPath(file)]));
  await sql.run(`set allowed_paths = ${sqlList([...paths])}`);
  await sql.run("set enable_external_access = false");
  await sql.run("set lock_configuration = true");
}

/** Turns an error of DuckDB, which begins with the name of its kind, into a refusal; passes on any other error. */
function refusalOf(error: unknown): unknown {
  if (
    !(error instanceof Error) ||
    !/^(?:Failed to extract statements: )?[A-Z]\w*(?: \w+)* Error: /.test(error.message)
  ) {
    return error;
  }
  return new InputError(`The query was refused: ${error.message}`, { cause: error });
}
