import { join } from "node:path";
import { type DeltaTable, openTable } from "./delta/delta-table.js";
import { createDuckDb, type DuckDb } from "./sql/duckdb.js";
import { Staging } from "./staging.js";
import { createLocalStore } from "./store/local-store.js";
import { DurableDirectories } from "./store/local-store-directories.js";
import { StoreModes } from "./store/modes.js";
import type { ObjectStore } from "./store/object-store.js";

/** The lake as one process holds it: tables, staging and the SQL engine between them. */
export interface Lake {
  readonly store: ObjectStore;
  readonly staging: Staging;
  readonly duckdb: DuckDb;
  /** The table of that name, with its state kept between uses. */
  table(name: string): DeltaTable;
  close(): Promise<void>;
}

/** What a lake is opened with. */
interface LakeOptions {
  /** The directory of the lake. */
  readonly directory: string;
  /** Told of a checkpoint that could not be written; the commit before it stands. */
  readonly onCheckpointFailed?: (error: unknown) => void;
  /** The store of the tables, where it is not the directory itself. */
  readonly store?: ObjectStore;
}

/** Opens a lake; nothing is written before the first use. */
export function openLake(options: LakeOptions): Lake {
  const store = options.store ?? createLocalStore(options.directory);
  const modes = new StoreModes(options.directory, new DurableDirectories(options.directory));
  const duckdb = createDuckDb({
    scratchDirectory: join(options.directory, "_staging", "scratch"),
    makeParent: () => modes.of("_staging/scratch"),
  });
  const tables = new Map<string, DeltaTable>();
  return {
    store,
    duckdb,
    staging: new Staging(store),
    table(name) {
      let table = tables.get(name);
      if (table === undefined) {
        const { onCheckpointFailed } = options;
        table = openTable(store, name, duckdb, onCheckpointFailed ? { onCheckpointFailed } : {});
        tables.set(name, table);
      }
      return table;
    },
    close: () => duckdb.close(),
  };
}
