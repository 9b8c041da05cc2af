import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, date, moneySum, timestamptz, varchar } from "./columns.js";

/** One row per account and run of a reconciliation (docs/use/tables.md, "reconciliations"). */
export const reconciliations = {
  name: "reconciliations",
  columns: [
    ...varchar("run_id"),
    ...timestamptz("reconciled_at"),
    ...varchar("fp_id", "link_id", "account_id"),
    ...date("date_from", "date_to"),
    ...varchar("status", "reason"),
    ...bigint("lake_rows", "service_rows", "missing_in_lake_rows"),
    ...varchar("missing_in_lake"),
    ...bigint("missing_at_service_rows"),
    ...varchar("missing_at_service"),
    ...bigint("changed_rows"),
    ...varchar("changed"),
    ...moneySum("lake_sum", "service_sum", "difference"),
    ...varchar("balance_status", "balance_reason"),
    ...timestamptz("balance_from", "balance_to"),
    ...moneySum("balance_change", "posted_sum", "balance_difference"),
  ],
} as const satisfies TableSpec;
