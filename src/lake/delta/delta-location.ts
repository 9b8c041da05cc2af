import type { DuckDb } from "../sql/duckdb.js";
import type { ObjectStore } from "../store/object-store.js";

export interface DeltaLocation {
  readonly store: ObjectStore;
  readonly table: string;
  readonly duckdb: DuckDb;
}
