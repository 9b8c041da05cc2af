import type { PackFiles } from "../../lake/bulk/pack/pack-files.js";
import { RowSpool } from "../../lake/bulk/pack/row-spool.js";
import type { DuckDb } from "../../lake/sql/duckdb.js";
import { CIP_TABLES } from "../../lake/tables/cip.js";
import type { CipRows } from "./rows.js";

/** The rows of every table of an export, on their way into one sorted Parquet file each. */
export class PackTables {
  readonly #spools: readonly { readonly spec: (typeof CIP_TABLES)[number]; readonly spool: RowSpool }[];

  constructor(duckdb: DuckDb) {
    // Members come by id, and the rows of each in their order.
    this.#spools = CIP_TABLES.map((spec) => ({
      spec,
      spool: new RowSpool(duckdb, { columns: spec.columns }),
    }));
  }

  async add(rows: CipRows): Promise<void> {
    for (const { spec, spool } of this.#spools) await spool.add(rows[spec.name]);
  }

  /** Writes `<table>.parquet` of each. */
  async write(files: PackFiles): Promise<void> {
    for (const { spec, spool } of this.#spools) {
      const path = `${spec.name}.parquet`;
      await files.add(path, await spool.writeParquet(await files.place(path)));
    }
  }

  async release(): Promise<void> {
    for (const { spool } of this.#spools) await spool.release();
  }
}
