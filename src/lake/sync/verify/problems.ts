import { FAILURE_TYPES, InputError } from "../../../domain/failures.js";
import { isOutOfMemory } from "../../sql/duckdb.js";
import { MOST_TOLD, type Problem } from "../chain-check.js";

/** Collects what is wrong with a lake: all problems are counted, and the first ones told. */
export class Problems {
  readonly told: Problem[] = [];
  total = 0;

  /** How many more are told. */
  get room(): number {
    return MOST_TOLD - this.told.length;
  }

  add(found: readonly Problem[], total = found.length): void {
    this.total += total;
    this.told.push(...found.slice(0, this.room));
  }

  /** Runs a check of a table. One that fails, as over a file that is missing or is no Parquet, is a problem of the table. */
  async during(table: string, check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof Error) || error.name === FAILURE_TYPES.transient || isOutOfMemory(error))
        throw error;
      const words = error.message.split("\n")[0];
      const what = error instanceof InputError ? error.message : `it can't be checked: ${words}`;
      this.add([{ table, link_id: null, run_id: null, what }]);
    }
  }
}
