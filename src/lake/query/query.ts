import { type DuckDBConnection, DuckDBScalarFunction, StatementType, VARCHAR } from "@duckdb/node-api";
import { InputError } from "../../domain/failures.js";
import type { Sealer } from "../../domain/sealer.js";
import { columnsOf, type TableSpec } from "../delta/delta-schema.js";
import { rowsOf } from "../delta/delta-stats.js";
import { createDuckDb } from "../sql/duckdb.js";
import { exactPath } from "../sql/duckdb-files.js";
import { createSession, type SqlColumn, type SqlSession } from "../sql/duckdb-session.js";
import { sqlList, sqlName, sqlText } from "../sql/duckdb-sql.js";
import { type JsonValue, jsonValue } from "../sql/duckdb-values.js";
import type { ObjectStore } from "../store/object-store.js";
import { openColumn } from "../tables/encrypted-column.js";
import { foundTables, lakeViews } from "./lake-views.js";
import type { ReadTable } from "./query-views.js";
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
  /** Runs one statement that reads, and gives its rows as exact JSON values. @throws InputError if it is refused, or writes. */
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

/** Restricts an engine, for good, to these files and its own spill. DuckDB compares the name in the query: the exact pattern. */
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

/** Opens encrypted columns in the SQL of one engine: each column has a function, which its view calls. */
class Decryption {
  readonly #functions = new Map<string, string>();
  #failure: Error | undefined;

  /** Registers the functions; DuckDB calls them on JavaScript's own thread, one vector of values at a time. */
  constructor(connection: DuckDBConnection, sealer: Sealer, tables: readonly TableSpec[]) {
    for (const { name: table, columns } of tables) {
      for (const { name: column } of columns.filter(({ encrypted }) => encrypted)) {
        const name = `opened_${table}_${column}`;
        this.#functions.set(`${table}.${column}`, name);
        connection.registerScalarFunction(
          this.#function(name, (value) => openColumn(sealer, table, column, value)),
        );
      }
    }
  }

  /** Gives the SQL of a column's value, opened if the column is encrypted. */
  readonly sqlOf = (table: string, column: string): string => {
    const name = this.#functions.get(`${table}.${column}`);
    return name === undefined ? sqlName(column) : `${name}(${sqlName(column)})`;
  };

  /** Finds what failed in a query: DuckDB itself, or a value that did not open, whose error DuckDB quotes. */
  causeOf(error: unknown): unknown {
    const failure = this.#failure;
    const isQuoted =
      failure !== undefined && error instanceof Error && error.message.includes(failure.message);
    return isQuoted ? failure : error;
  }

  #function(name: string, open: (value: string) => string): DuckDBScalarFunction {
    return DuckDBScalarFunction.create({
      name,
      parameterTypes: [VARCHAR],
      returnType: VARCHAR,
      mainFunction: (info, input, output) => {
        const values = input.getColumnVector(0);
        try {
          for (let row = 0; row < input.rowCount; row += 1) {
            const value = values.getItem(row);
            output.setItem(row, value === null ? null : open(String(value)));
          }
          output.flush();
        } catch (error) {
          this.#failure = error as Error;
          info.setError(this.#failure.message);
        }
      },
    });
  }
}

const SPACE = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*`;
/** The words that ask for a plan; DuckDB's parser checks whatever follows. */
const EXPLAIN = new RegExp(
  `^${SPACE}explain\\b(${SPACE}analy[sz]e\\b|${SPACE}\\((?:\\s|,|analy[sz]e\\b|format\\s+\\w+)*\\))?`,
  "is",
);

const NOT_READING =
  "A query must be a single statement that reads: SELECT, WITH, FROM, DESCRIBE, SUMMARIZE, or EXPLAIN of one of " +
  "these. Nothing was changed.";

/** Gives the text to run for a user's text: one statement that reads, or the plan of one. @throws InputError for others. */
async function readingStatement(connection: DuckDBConnection, text: string): Promise<string> {
  if (text.trim() === "") throw new InputError("The query is empty. Give one SELECT statement.");
  if (await selects(connection, text)) return text;
  const [prefix, how = ""] = EXPLAIN.exec(text) ?? [];
  if (prefix !== undefined) {
    // Build what runs from a statement that the parser accepts as a SELECT on its own.
    const explained = text.slice(prefix.length);
    if (await selects(connection, explained)) return `explain ${how} ${explained}`;
  }
  if ((await kindOf(connection, text)) === StatementType.SELECT) return text;
  throw new InputError(NOT_READING);
}

/** Whether DuckDB's parser finds one SELECT and nothing else; it looks up no names yet. */
async function selects(connection: DuckDBConnection, text: string): Promise<boolean> {
  const answer = await connection.runAndReadAll("select json_serialize_sql(?::varchar)::varchar", [text]);
  const parsed = JSON.parse(String(answer.getRows()[0]?.[0])) as { readonly statements?: readonly unknown[] };
  return parsed.statements?.length === 1;
}

/** Finds the kind of the only statement in a text: `PRAGMA table_info`, for example, becomes one that reads. */
async function kindOf(connection: DuckDBConnection, text: string): Promise<StatementType | undefined> {
  const statements = await connection.extractStatements(text);
  if (statements.count !== 1) return undefined;
  // This looks up names: a statement with a missing or forbidden one is not a statement that reads.
  const prepared = await statements.prepare(0).catch(() => undefined);
  return prepared?.statementType;
}
