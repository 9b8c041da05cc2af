import { type DuckDBConnection, StatementType } from "@duckdb/node-api";
import { InputError } from "../../domain/failures.js";
import { columnsOf, type TableSpec } from "../delta/delta-schema.js";
import { rowsOf } from "../delta/delta-stats.js";
import { createDuckDb } from "../sql/duckdb.js";
import { createSession } from "../sql/duckdb-session.js";
import { type JsonValue, jsonValue } from "../sql/duckdb-values.js";
import type { ObjectStore } from "../store/object-store.js";
import { emptyViewStatement, findTables, type ReadTable, readTable, viewStatement } from "./query-views.js";

/** One line of `nightledger tables`. */
export interface TableSummary {
  readonly table: string;
  readonly version: number;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export interface QueryOptions {
  readonly scratchDirectory: string;
  /** The tables to look for, empty where they are not there yet; without them the whole store is listed. */
  readonly tables?: readonly TableSpec[];
  readonly memoryLimitMb?: number;
}

/** SQL over the tables of a lake, each at its newest version when the query was asked. */
export interface LakeQuery {
  listTables(): Promise<TableSummary[]>;
  /**
   * The rows of one statement that reads, in batches, as exact JSON values.
   * @throws InputError with DuckDB's words where it refuses the statement, or where it would write.
   */
  query(sql: string): AsyncIterableIterator<Readonly<Record<string, JsonValue>>[]>;
  close(): Promise<void>;
}

/** Opens a lake for reading, with an engine of its own beside the one that loads. */
export function openQuery(store: ObjectStore, options: QueryOptions): LakeQuery {
  const { scratchDirectory, memoryLimitMb = 512 } = options;
  const duckdb = createDuckDb({ scratchDirectory, memoryLimitMb });

  async function tables(): Promise<ReadTable[]> {
    const names = options.tables?.map(({ name }) => name) ?? (await findTables(store));
    const found: ReadTable[] = [];
    for (const table of names) {
      const read = await readTable({ store, table, duckdb });
      if (read !== undefined) found.push(read);
    }
    return found;
  }

  async function* query(statement: string) {
    const found = await tables();
    const connection = await duckdb.connect();
    try {
      const sql = createSession(connection);
      for (const table of found) await sql.run(await viewStatement(table));
      const missing = (options.tables ?? []).filter(({ name }) =>
        found.every(({ location }) => location.table !== name),
      );
      for (const spec of missing) await sql.run(emptyViewStatement(spec));
      await assertReads(connection, statement);
      for await (const batch of sql.stream(statement)) {
        yield batch.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonValue(value)])),
        );
      }
    } catch (error) {
      throw inWords(error);
    } finally {
      connection.closeSync();
    }
  }

  return {
    query,
    listTables: async () => (await tables()).map(summaryOf),
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

/** One statement, and only one that reads: tables change by commits alone. */
async function assertReads(connection: DuckDBConnection, statement: string): Promise<void> {
  if (statement.trim() === "") throw new InputError("The query is empty. Give one SELECT statement.");
  const statements = await connection.extractStatements(statement);
  const kind = statements.count === 1 ? (await statements.prepare(0)).statementType : undefined;
  const plansOnly = kind === StatementType.EXPLAIN && !/^\s*explain[\s(]+analy[sz]e/i.test(statement);
  if (kind === StatementType.SELECT || plansOnly) return;
  throw new InputError(
    "Only a single statement that reads can be run here: SELECT, WITH, FROM, DESCRIBE, SUMMARIZE, EXPLAIN. " +
      "Nothing was changed.",
  );
}

/** DuckDB's errors begin with the name of their kind; any other error is passed on as it is. */
function inWords(error: unknown): unknown {
  if (
    !(error instanceof Error) ||
    !/^(?:Failed to extract statements: )?[A-Z]\w*(?: \w+)* Error: /.test(error.message)
  ) {
    return error;
  }
  return new InputError(`The query was refused: ${error.message}`, { cause: error });
}
