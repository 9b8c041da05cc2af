import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, timestamptz, varchar } from "./columns.js";

/** One row per user and field of an export of vault data (docs/use/tables.md, "vault_values"). */
export const vaultValues = {
  name: "vault_values",
  columns: [
    ...varchar("run_id", "fp_id", "external_id", "field", "status", "value_type"),
    { name: "value", type: "VARCHAR", encrypted: true },
    ...varchar("transforms", "reason"),
    ...timestamptz("decrypted_at"),
  ],
} as const satisfies TableSpec;

/** One row per line and run of a write into vaults; it holds names of fields, never a value. */
export const vaultWrites = {
  name: "vault_writes",
  columns: [
    ...varchar("run_id"),
    ...bigint("line"),
    ...varchar("fp_id", "external_id", "status", "fields", "fields_written", "reason", "error_message"),
    ...timestamptz("written_at"),
  ],
} as const satisfies TableSpec;
