import type { DuckDb } from "../sql/duckdb.js";
import type { ObjectStore } from "../store/object-store.js";

/** Where one table is, and the SQL engine for its checkpoints. */
export interface DeltaLocation {
  readonly store: ObjectStore;
  readonly table: string;
  readonly duckdb: DuckDb;
}
