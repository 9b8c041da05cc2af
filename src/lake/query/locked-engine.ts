import { type DuckDBConnection, DuckDBScalarFunction, VARCHAR } from "@duckdb/node-api";
import type { Sealer } from "../../domain/sealer.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { createDuckDb, type DuckDb } from "../sql/duckdb.js";
import { exactPath } from "../sql/duckdb-files.js";
import { createSession, type SqlSession } from "../sql/duckdb-session.js";
import { sqlList, sqlName } from "../sql/duckdb-sql.js";
import { openColumn } from "../tables/encrypted-column.js";
import { lakeViews, pendingRule } from "./lake-views.js";
import { lastingView, type ReadTable } from "./query-views.js";
import { viewStatements } from "./views.js";

interface EngineOptions {
  readonly scratchDirectory: string;
  readonly memoryLimitMb: number;
  /** Empty where they do not exist. */
  readonly specs: readonly TableSpec[];
  /** Opens their encrypted columns. */
  readonly sealer: Sealer | undefined;
}

/** An engine with views that reads their live files and nothing else. */
interface LockedEngine {
  readonly duckdb: DuckDb;
  readonly decryption: Decryption | undefined;
}

/** A query that may change its engine, as `enable_logging` does. */
interface Alone {
  /** A file that it may write. */
  readonly target?: string | undefined;
}

interface SharedEngine {
  readonly key: string;
  readonly made: Promise<LockedEngine>;
  /** Running queries. */
  queries: number;
}

/**
 * Engines of queries. An engine can't be unlocked for other versions of the tables; until then queries share it, since
 * its start costs more than most of them.
 */
export class LockedEngines {
  #newest: SharedEngine | undefined;

  constructor(private readonly options: EngineOptions) {}

  /** Runs a query on an engine for these tables, on its own one for an untrusted statement. */
  async *use<T>(
    found: readonly ReadTable[],
    alone: Alone | undefined,
    query: (connection: DuckDBConnection, engine: LockedEngine) => AsyncIterableIterator<T>,
  ): AsyncIterableIterator<T> {
    // Counted before any await, so that no other query closes the engine.
    const before = this.#newest;
    const engine = alone === undefined ? this.#shared(found) : this.#begin("", found, alone);
    engine.queries += 1;
    try {
      if (before !== undefined && before !== this.#newest) await closeIdle(before);
      const made = await engine.made;
      const connection = await made.duckdb.connect();
      try {
        yield* query(connection, made);
      } finally {
        connection.closeSync();
      }
    } finally {
      engine.queries -= 1;
      if (engine !== this.#newest) await closeIdle(engine);
    }
  }

  async close(): Promise<void> {
    const engine = this.#newest;
    this.#newest = undefined;
    if (engine !== undefined) await closeIdle(engine);
  }

  #shared(found: readonly ReadTable[]): SharedEngine {
    const key = found.map(({ location: { table }, snapshot: { version } }) => `${table} ${version}`).join();
    if (this.#newest?.key === key) return this.#newest;
    const engine = this.#begin(key, found);
    this.#newest = engine;
    engine.made.catch(() => {
      if (this.#newest === engine) this.#newest = undefined;
    });
    return engine;
  }

  #begin(key: string, found: readonly ReadTable[], alone?: Alone): SharedEngine {
    return { key, made: lockedEngine(found, alone?.target, this.options), queries: 0 };
  }
}

/** Its last query closes it otherwise. */
async function closeIdle({ made, queries }: SharedEngine): Promise<void> {
  if (queries > 0) return;
  const engine = await made.catch(() => undefined);
  await engine?.duckdb.close();
}

async function lockedEngine(
  found: readonly ReadTable[],
  target: string | undefined,
  { scratchDirectory, memoryLimitMb, specs, sealer }: EngineOptions,
): Promise<LockedEngine> {
  // One thread if SQL calls JavaScript: a second one could wait for JavaScript while that closes the engine and waits
  // for the thread.
  const duckdb = createDuckDb({ scratchDirectory, memoryLimitMb, ...(sealer && { threads: 1 }) });
  try {
    const connection = await duckdb.connect();
    try {
      const sql = createSession(connection);
      const decryption = sealer && new Decryption(connection, sealer, specs);
      const views = await lakeViews(found, specs, decryption?.sqlOf);
      const known = new Set(specs.map(({ name }) => name));
      for (const view of [
        ...views.map(({ statement }) => statement),
        ...viewStatements(known, pendingRule(found)),
      ])
        await sql.run(lastingView(view));
      const files = views.flatMap((view) => view.files);
      await lock(sql, target === undefined ? files : [...files, target]);
      return { duckdb, decryption };
    } finally {
      connection.closeSync();
    }
  } catch (error) {
    await duckdb.close();
    throw error;
  }
}

/** Restricts an engine, for good, to these files and its own spill; DuckDB compares exact patterns. */
async function lock(sql: SqlSession, files: readonly string[]): Promise<void> {
  const paths = new Set(files.flatMap((file) => [file, exactPath(file)]));
  await sql.run(`set allowed_paths = ${sqlList([...paths])}`);
  await sql.run("set enable_external_access = false");
  await sql.run("set lock_configuration = true");
}

/** A function for each encrypted column, which its view calls. */
class Decryption {
  readonly #functions = new Map<string, string>();
  #failure: Error | undefined;

  /** DuckDB calls them on JavaScript's thread, a vector of values at a time. */
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

  readonly sqlOf = (table: string, column: string): string => {
    const name = this.#functions.get(`${table}.${column}`);
    return name === undefined ? sqlName(column) : `${name}(${sqlName(column)})`;
  };

  /** DuckDB's own failure, or that of a value that did not open. */
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
