import { join } from "node:path";
import type { LakePlace } from "../domain/lake-address.js";
import type { Sealer } from "../domain/sealer.js";
import type { PendingSetting } from "../domain/tables/pending-rule.js";
import { type DeltaTable, type DeltaTableOptions, tablesOf } from "./delta/delta-table.js";
import { createDuckDb, type DuckDb } from "./sql/duckdb.js";
import { Staging } from "./staging.js";
import { createLocalStore } from "./store/local/local-store.js";
import type { ObjectStore } from "./store/object-store.js";
import { openStore } from "./store/open-store.js";

/** A lake in one process: its tables, its staging area and its SQL engine. */
export interface Lake {
  readonly store: ObjectStore;
  readonly staging: Staging;
  readonly duckdb: DuckDb;
  /** Encrypts the encrypted columns of tables; undefined in a lake that was opened without its keys. */
  readonly sealer: Sealer | undefined;
  /** What `transactions` makes of pending rows. */
  readonly pending: PendingSetting;
  /** Gives the table of that name, which keeps its state between uses. */
  table(name: string): DeltaTable;
  close(): Promise<void>;
}

interface LakeOptions extends Pick<DeltaTableOptions, "onCheckpointFailed" | "onConflict"> {
  readonly directory: string;
  /** The store of the tables, if it is not the directory itself. */
  readonly store?: ObjectStore;
  /** Where SQL writes what it needs while it works. Left out: in the staging area. */
  readonly scratchDirectory?: string;
  /** With the lake's keys; without it no value of an encrypted column can be written. */
  readonly sealer?: Sealer;
  /** Left out: as it was decided for the lake. */
  readonly pending?: PendingSetting;
}

/** Opens the lake in a place. */
export function lakeAt(place: LakePlace, options: Omit<LakeOptions, "directory"> = {}): Lake {
  const scratchDirectory = join(place.scratch.directory, "sql");
  return openLake({ directory: place.address, store: openStore(place), scratchDirectory, ...options });
}

/** Opens a lake; it writes nothing before its first use. */
export function openLake(options: LakeOptions): Lake {
  const store = options.store ?? createLocalStore(options.directory);
  const { scratchDirectory = join(options.directory, "_staging", "scratch") } = options;
  const duckdb = createDuckDb({ scratchDirectory });
  return {
    store,
    duckdb,
    sealer: options.sealer,
    pending: options.pending ?? "auto",
    staging: new Staging(store),
    table: tablesOf(store, duckdb, options),
    close: () => duckdb.close(),
  };
}
