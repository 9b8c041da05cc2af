import type { TableSpec } from "../delta/delta-schema.js";

/** The bank links of each user, an observation a run (docs/tables.md). */
export const bankLinks = {
  name: "bank_links",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "observed_at", type: "TIMESTAMPTZ" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "link_id", type: "VARCHAR" },
    { name: "created_at", type: "TIMESTAMPTZ" },
    { name: "created_at_text", type: "VARCHAR" },
    { name: "state", type: "VARCHAR" },
    { name: "error_code", type: "VARCHAR" },
    { name: "available_products", type: "VARCHAR" },
    { name: "products", type: "VARCHAR" },
    { name: "external_id", type: "VARCHAR" },
    { name: "institution_id", type: "VARCHAR" },
    { name: "institution_name", type: "VARCHAR" },
    { name: "institution_logo", type: "VARCHAR" },
    { name: "provider", type: "VARCHAR" },
    { name: "tags", type: "VARCHAR" },
  ],
} as const satisfies TableSpec;
