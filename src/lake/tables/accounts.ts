import type { TableSpec } from "../delta/delta-schema.js";

/** The accounts of each user, an observation a run (docs/tables.md). */
export const accounts = {
  name: "accounts",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "observed_at", type: "TIMESTAMPTZ" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "link_id", type: "VARCHAR" },
    { name: "account_id", type: "VARCHAR" },
    { name: "name", type: "VARCHAR" },
    { name: "nickname", type: "VARCHAR" },
    { name: "mask", type: "VARCHAR" },
    { name: "closed", type: "BOOLEAN" },
    { name: "account_type", type: "VARCHAR" },
    { name: "balance_available", type: "DECIMAL(28,10)" },
    { name: "balance_current", type: "DECIMAL(28,10)" },
    { name: "balance_limit", type: "DECIMAL(28,10)" },
    { name: "balance_currency", type: "VARCHAR" },
    { name: "balance_date", type: "TIMESTAMPTZ" },
    { name: "balance_date_text", type: "VARCHAR" },
    { name: "raw_provider_data", type: "VARCHAR" },
  ],
} as const satisfies TableSpec;
