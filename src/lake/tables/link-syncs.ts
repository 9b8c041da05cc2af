import type { TableSpec } from "../delta/delta-schema.js";

/** One row a link and run, with its certificate (docs/use/tables.md, "link_syncs"). */
export const linkSyncs = {
  name: "link_syncs",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "link_id", type: "VARCHAR" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "status", type: "VARCHAR" },
    { name: "reason", type: "VARCHAR" },
    { name: "generation", type: "INTEGER" },
    { name: "cursor_in", type: "VARCHAR" },
    { name: "cursor_out", type: "VARCHAR" },
    { name: "pages", type: "BIGINT" },
    { name: "restarts", type: "BIGINT" },
    { name: "created", type: "BIGINT" },
    { name: "updated", type: "BIGINT" },
    { name: "removed", type: "BIGINT" },
    { name: "quarantined", type: "BIGINT" },
    { name: "sign_conflicts", type: "BIGINT" },
    { name: "sequence_from", type: "BIGINT" },
    { name: "sequence_to", type: "BIGINT" },
    { name: "pages_sha256", type: "VARCHAR" },
    { name: "certificate_prev", type: "VARCHAR" },
    { name: "certificate", type: "VARCHAR" },
    { name: "started_at", type: "TIMESTAMPTZ" },
    { name: "finished_at", type: "TIMESTAMPTZ" },
  ],
} as const satisfies TableSpec;
