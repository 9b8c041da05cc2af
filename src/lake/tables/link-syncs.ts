import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, integer, timestamptz, varchar } from "./columns.js";

/** One row per link and run, with its certificate (docs/use/tables.md, "link_syncs"). */
export const linkSyncs = {
  name: "link_syncs",
  columns: [
    ...varchar("run_id", "link_id", "fp_id", "status", "reason"),
    ...integer("generation"),
    ...varchar("cursor_in", "cursor_out"),
    ...bigint("pages", "restarts", "created", "updated", "removed", "quarantined", "sign_conflicts"),
    ...bigint("sequence_from", "sequence_to"),
    ...varchar("pages_sha256", "rows_sha256", "certificate_prev", "certificate"),
    ...timestamptz("started_at", "finished_at"),
  ],
} as const satisfies TableSpec;
