import type { TableSpec } from "../delta/delta-schema.js";

/** Rows that could not be loaded, in their own words (docs/use/tables.md, "quarantine"). */
export const quarantine = {
  name: "quarantine",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "stream", type: "VARCHAR" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "link_id", type: "VARCHAR" },
    { name: "page", type: "BIGINT" },
    { name: "index", type: "BIGINT" },
    { name: "list", type: "VARCHAR" },
    { name: "reason", type: "VARCHAR" },
    { name: "payload", type: "VARCHAR" },
    { name: "fetched_at", type: "TIMESTAMPTZ" },
  ],
} as const satisfies TableSpec;

/** What closed rows of `quarantine`: append-only, by the row's id (docs/use/tables.md, "quarantine_resolutions"). */
export const quarantineResolutions = {
  name: "quarantine_resolutions",
  columns: [
    { name: "row_id", type: "VARCHAR" },
    { name: "run_id", type: "VARCHAR" },
    { name: "stream", type: "VARCHAR" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "link_id", type: "VARCHAR" },
    { name: "page", type: "BIGINT" },
    { name: "index", type: "BIGINT" },
    { name: "list", type: "VARCHAR" },
    { name: "resolved_by", type: "VARCHAR" },
    { name: "reason", type: "VARCHAR" },
    { name: "resolved_at", type: "TIMESTAMPTZ" },
  ],
} as const satisfies TableSpec;
