import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, date, money, timestamptz, varchar } from "./columns.js";

/** One row per line and run of an import (docs/use/tables.md, "transaction_imports"). */
export const transactionImports = {
  name: "transaction_imports",
  columns: [
    ...varchar("run_id"),
    ...bigint("line"),
    ...varchar("link_id", "account_id", "transaction_id"),
    ...money("amount"),
    ...date("date"),
    ...varchar("date_text", "status", "reason", "chunk"),
    ...timestamptz("imported_at"),
    ...varchar("seen_in_run", "error_message"),
  ],
} as const satisfies TableSpec;
