import type { TableSpec } from "../delta/delta-schema.js";

/** One row a line and run of an import (docs/use/tables.md, "transaction_imports"). */
export const transactionImports = {
  name: "transaction_imports",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "line", type: "BIGINT" },
    { name: "link_id", type: "VARCHAR" },
    { name: "account_id", type: "VARCHAR" },
    { name: "transaction_id", type: "VARCHAR" },
    { name: "amount", type: "DECIMAL(28,10)" },
    { name: "date", type: "DATE" },
    { name: "date_text", type: "VARCHAR" },
    { name: "status", type: "VARCHAR" },
    { name: "reason", type: "VARCHAR" },
    { name: "chunk", type: "VARCHAR" },
    { name: "imported_at", type: "TIMESTAMPTZ" },
    { name: "seen_in_run", type: "VARCHAR" },
    { name: "error_message", type: "VARCHAR" },
  ],
} as const satisfies TableSpec;
