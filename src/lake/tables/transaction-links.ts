import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, boolean, date, money, varchar } from "./columns.js";

/** One row per removal of a pending transaction: what it became (docs/use/tables.md, "transaction_links"). */
export const transactionLinks = {
  name: "transaction_links",
  columns: [
    ...varchar("link_id", "fp_id", "account_id"),
    ...varchar("pending_transaction_id", "posted_transaction_id", "tier", "candidate_tier"),
    ...bigint("posted_candidates", "pending_candidates"),
    ...varchar("candidate_ids", "currency", "type"),
    ...money("pending_signed_amount", "posted_signed_amount"),
    ...date("pending_date", "posted_date"),
    ...varchar("merchant_id", "description", "removed_run_id"),
    ...bigint("removed_sequence"),
    ...boolean("removal_inferred"),
    ...varchar("posted_run_id"),
    ...bigint("posted_sequence"),
  ],
} as const satisfies TableSpec;
