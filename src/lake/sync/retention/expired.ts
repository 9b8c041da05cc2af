import type { RecordClass } from "../../../domain/tables/retention.js";
import type { Erasing } from "../forget/erase-rows.js";

/** Rows of one class whose time is over. */
export interface Expired {
  readonly erasing: readonly Omit<Erasing, "owner">[];
  /** Writes down what the rows prove, before they go. */
  readonly before?: () => Promise<void>;
  /** Decides again what was decided with the rows. */
  readonly after?: () => Promise<void>;
}

/** What rules are applied to: until which day records have been kept long enough, and a directory for files. */
export interface Due {
  readonly until: { readonly [record in RecordClass]?: string };
  readonly directory: string;
}
