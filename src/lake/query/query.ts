import { type DuckDBConnection, StatementType } from "@duckdb/node-api";
import { InputError } from "../../domain/failures.js";
import type { Sealer } from "../../domain/sealer.js";
import { columnsOf, type TableSpec } from "../delta/delta-schema.js";
import { rowsOf } from "../delta/delta-stats.js";
import { createDuckDb } from "../sql/duckdb.js";
import { createSession, type SqlColumn, type SqlSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { type JsonValue, jsonValue } from "../sql/duckdb-values.js";
import type { ObjectStore } from "../store/object-store.js";
import { foundTables } from "./lake-views.js";
import { LockedEngines } from "./locked-engine.js";
import { lakeReader, type ReadTable } from "./query-views.js";

interface TableSummary {
  readonly table: string;
  readonly version: number;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: ReturnType<typeof columnsOf>;
}

interface QueryOptions {
  readonly scratchDirectory: string;
  /** Tables to look for, empty where they do not exist; default: all of the store. */
  readonly tables?: readonly TableSpec[];
  readonly memoryLimitMb?: number;
  /** Opens encrypted columns of `tables`; without it they appear as stored. */
  readonly sealer?: Sealer;
}

export type QueryRow = Readonly<Record<string, JsonValue>>;

interface ResultOptions {
  /** Gets the columns before the first row. */
  began?(columns: readonly SqlColumn[]): void;
  /** A Parquet file for the rows; the result is their `Count`. */
  readonly parquet?: string;
  /** A user's statement: it may be anything that reads. */
  readonly isForeign?: boolean;
}

/** SQL over a lake's tables, at their newest versions. */
export interface LakeQuery {
  listTables(): Promise<TableSummary[]>;
  /** Runs a statement that reads; rows are exact JSON values. @throws InputError if it is refused, or writes */
  query(sql: string, options?: ResultOptions): AsyncIterableIterator<QueryRow[]>;
  close(): Promise<void>;
}

/** Opens a lake for reading, with an engine of its own. */
export function openQuery(store: ObjectStore, options: QueryOptions): LakeQuery {
  const { scratchDirectory, memoryLimitMb = 512, sealer, tables: specs = [] } = options;
  const duckdb = createDuckDb({ scratchDirectory, memoryLimitMb });
  const engines = new LockedEngines({ scratchDirectory, memoryLimitMb, specs, sealer });
  const lake = lakeReader(store, duckdb);
  const tables = () => foundTables(lake, options.tables);

  async function* query(statement: string, { began, parquet, isForeign }: ResultOptions = {}) {
    const alone = isForeign || parquet !== undefined ? { target: parquet } : undefined;
    yield* engines.use(await tables(), alone, async function* (connection, { decryption }) {
      try {
        const sql = createSession(connection);
        const reading = await readingStatement(connection, statement);
        const read = parquet === undefined ? reading : await copying(sql, reading, parquet);
        for await (const batch of sql.stream(read, [], began)) {
          yield batch.map((row) =>
            Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonValue(value)])),
          );
        }
      } catch (error) {
        throw refusalOf(decryption?.causeOf(error) ?? error);
      }
    });
  }

  return {
    query,
    listTables: async () => (await tables()).map(summaryOf).sort((a, b) => (a.table < b.table ? -1 : 1)),
    async close() {
      await engines.close();
      await duckdb.close();
    },
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

/** A view holds the statement to be written out, whatever ends it. */
async function copying(sql: SqlSession, reading: string, path: string): Promise<string> {
  await sql.run(`create temp view written_rows as ${reading}`);
  return `copy (from temp.written_rows) to ${sqlText(path)} (format parquet, compression zstd, use_tmp_file false)`;
}

/** An error of DuckDB begins with its kind. */
function refusalOf(error: unknown): unknown {
  if (
    !(error instanceof Error) ||
    !/^(?:Failed to extract statements: )?[A-Z]\w*(?: \w+)* Error: /.test(error.message)
  ) {
    return error;
  }
  return new InputError(`The query was refused: ${error.message}`, { cause: error });
}

const SPACE = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*`;
/** DuckDB's parser checks what follows. */
const EXPLAIN = new RegExp(
  `^${SPACE}explain\\b(${SPACE}analy[sz]e\\b|${SPACE}\\((?:\\s|,|analy[sz]e\\b|format\\s+\\w+)*\\))?`,
  "is",
);

const NOT_READING =
  "A query must be a single statement that reads: SELECT, WITH, FROM, DESCRIBE, SUMMARIZE, or EXPLAIN of one of " +
  "these. Nothing was changed.";

/** One statement that reads, or the plan of one. @throws InputError for others */
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

/** By DuckDB's parser, which looks up no names. */
async function selects(connection: DuckDBConnection, text: string): Promise<boolean> {
  const answer = await connection.runAndReadAll("select json_serialize_sql(?::varchar)::varchar", [text]);
  const parsed = JSON.parse(String(answer.getRows()[0]?.[0])) as { readonly statements?: readonly unknown[] };
  return parsed.statements?.length === 1;
}

/** Of the only statement: `PRAGMA table_info`, for example, becomes one that reads. */
async function kindOf(connection: DuckDBConnection, text: string): Promise<StatementType | undefined> {
  const statements = await connection.extractStatements(text);
  if (statements.count !== 1) return undefined;
  // This looks up names: one that is missing or forbidden makes it no statement that reads.
  const prepared = await statements.prepare(0).catch(() => undefined);
  return prepared?.statementType;
}
