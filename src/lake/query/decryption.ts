import { type DuckDBConnection, DuckDBScalarFunction, VARCHAR } from "@duckdb/node-api";
import type { Sealer } from "../../domain/sealer.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { sqlName } from "../sql/duckdb-sql.js";
import { openColumn } from "../tables/encrypted-column.js";

/** Opens encrypted columns in the SQL of one engine: each column has a function, which its view calls. */
export class Decryption {
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
