import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, timestamptz, varchar } from "./columns.js";

/** One row per row that could not be loaded, with its raw text (docs/use/tables.md, "quarantine"). */
export const quarantine = {
  name: "quarantine",
  columns: [
    ...varchar("run_id", "stream", "fp_id", "link_id"),
    ...bigint("page", "index"),
    ...varchar("list", "reason", "payload"),
    ...timestamptz("fetched_at"),
  ],
} as const satisfies TableSpec;

/** One row per closed row of `quarantine`, by the row's id; append-only (docs/use/tables.md, "quarantine_resolutions"). */
export const quarantineResolutions = {
  name: "quarantine_resolutions",
  columns: [
    ...varchar("row_id", "run_id", "stream", "fp_id", "link_id"),
    ...bigint("page", "index"),
    ...varchar("list", "resolved_by", "reason"),
    ...timestamptz("resolved_at"),
  ],
} as const satisfies TableSpec;
