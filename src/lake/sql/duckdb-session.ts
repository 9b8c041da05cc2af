import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { StoreFullError } from "../store/local/local-store-errors.js";
import { exactValue, type SqlValue } from "./duckdb-values.js";

type SqlParameter = string | number | bigint | boolean | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface SqlColumn {
  readonly name: string;
  readonly type: string;
}

/** One connection, while its exclusive section lasts. */
export interface SqlSession {
  /** Returns how many rows the last statement wrote. */
  run(sql: string, parameters?: readonly SqlParameter[]): Promise<number>;
  rows(sql: string, parameters?: readonly SqlParameter[]): Promise<SqlRow[]>;
  /** In one round trip: in a busy process each one waits. */
  rowsAtOnce(sql: string): Promise<SqlRow[]>;
  /** Batches of about 2,048 rows; `began` gets the columns. */
  stream(
    sql: string,
    parameters?: readonly SqlParameter[],
    began?: (columns: readonly SqlColumn[]) => void,
  ): AsyncIterableIterator<SqlRow[]>;
}

/** A full disk becomes StoreFullError. */
export function createSession(connection: DuckDBConnection): SqlSession {
  async function* stream(
    sql: string,
    parameters: readonly SqlParameter[] = [],
    began?: (columns: readonly SqlColumn[]) => void,
  ) {
    try {
      const result = await connection.stream(sql, [...parameters]);
      const names = result.deduplicatedColumnNames();
      began?.(names.map((name, at) => ({ name, type: String(result.columnType(at)) })));
      for await (const chunk of result) {
        yield namedRows(names, chunk.getRows());
      }
    } catch (error) {
      throw sqlFailure(error);
    }
  }
  async function result(sql: string, parameters?: readonly SqlParameter[]) {
    try {
      return await connection.run(sql, parameters && [...parameters]);
    } catch (error) {
      throw sqlFailure(error);
    }
  }
  return {
    stream,
    async run(sql, parameters) {
      return (await result(sql, parameters)).rowsChanged;
    },
    async rowsAtOnce(sql) {
      const whole = await result(sql);
      const names = whole.deduplicatedColumnNames();
      const chunks = Array.from({ length: whole.chunkCount }, (_, at) => whole.getChunk(at));
      return chunks.flatMap((chunk) => namedRows(names, chunk.getRows()));
    },
    async rows(sql, parameters) {
      const all: SqlRow[] = [];
      for await (const batch of stream(sql, parameters)) all.push(...batch);
      return all;
    },
  };
}

function namedRows(names: readonly string[], rows: readonly (readonly DuckDBValue[])[]): SqlRow[] {
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, exactValue(row[at] ?? null)])));
}

function sqlFailure(error: unknown): unknown {
  if (
    !(error instanceof Error) ||
    !/no space left|file too large|quota exceeded|failed to offload/i.test(error.message)
  )
    return error;
  return new StoreFullError(
    `No space left while SQL was writing files (${error.message.split("\n")[0]}). Nothing was published; ` +
      "make room and run the same command again.",
    { cause: error },
  );
}
