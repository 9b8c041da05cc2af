import type { z } from "zod";
import type { TableSpec } from "../delta/delta-schema.js";

/** One list of a response: where it stands, and what makes one of its rows bad. */
export interface RowList {
  /** `created`, `links`, … as `quarantine.list` says it. */
  readonly name: string;
  readonly path: readonly string[];
  readonly row: z.ZodType;
  /** Fields that have a column; others are dropped and counted. Absent where rows are not objects. */
  readonly fields?: ReadonlySet<string>;
  /** How many scores of a good row become null because they are no numbers. */
  readonly unreadableScores?: (row: unknown) => number;
}

/** One kind of record read from the service: its lists, its table and the SQL between them. */
export interface Stream {
  readonly name: string;
  /** The envelope of a response (docs/service.md, "Sync operation"). */
  readonly envelope: z.ZodType;
  readonly lists: readonly RowList[];
  readonly table: TableSpec;
  /** SQL type of what is read of a staged page: a struct of the lists' paths. */
  readonly pageType: string;
  /**
   * A query over the relations `page` (one row a staged page: `page_no` and the fields of `pageType`) and, joined to it as
   * `origin`, what is known of the page (`load.ts`); it gives the table's columns in order.
   */
  readonly projection: string;
}
