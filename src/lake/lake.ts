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

/** Tables, staging area and SQL engine, in one process. */
export interface Lake {
  readonly store: ObjectStore;
  readonly staging: Staging;
  readonly duckdb: DuckDb;
  /** Undefined for a lake opened without its keys. */
  readonly sealer: Sealer | undefined;
  /** What happens to pending rows. */
  readonly pending: PendingSetting;
  /** It caches its state between uses. */
  table(name: string): DeltaTable;
  close(): Promise<void>;
}

interface LakeOptions extends Pick<DeltaTableOptions, "onCheckpointFailed" | "onConflict"> {
  readonly directory: string;
  /** Default: the directory. */
  readonly store?: ObjectStore;
  /** SQL's scratch; default: in the staging area. */
  readonly scratchDirectory?: string;
  readonly memoryLimitMb?: number | undefined;
  /** Without it no encrypted column can be written. */
  readonly sealer?: Sealer;
  /** Default: the lake's. */
  readonly pending?: PendingSetting;
}

export function lakeAt(place: LakePlace, options: Omit<LakeOptions, "directory"> = {}): Lake {
  const { directory, memoryMb } = place.scratch;
  const scratchDirectory = join(directory, "sql");
  return openLake({
    directory: place.address,
    store: openStore(place),
    scratchDirectory,
    memoryLimitMb: memoryMb,
    ...options,
  });
}

/** Writes nothing before its first use. */
export function openLake(options: LakeOptions): Lake {
  const store = options.store ?? createLocalStore(options.directory);
  const { scratchDirectory = join(options.directory, "_staging", "scratch") } = options;
  const duckdb = createDuckDb({ scratchDirectory, memoryLimitMb: options.memoryLimitMb });
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
