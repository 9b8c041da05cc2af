import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, encrypted, timestamptz, varchar } from "./columns.js";

export const vaultValues = {
  name: "vault_values",
  about: "One row for each user and field of an export of vault data",
  columns: [
    ...varchar({ run_id: "the export's run", fp_id: "the user", external_id: "as the roster says" }),
    ...varchar({ field: "data identifier" }),
    ...varchar({ status: "`value`; `absent` if the vault does not hold the field" }),
    ...varchar({ value_type: "what the service sent" }),
    ...encrypted({ value: "encrypted, whatever the field is" }),
    ...varchar({ transforms: "what the service did to the value, in order and separated by commas" }),
    ...varchar({ reason: "why it was decrypted, as the service's log has it" }),
    ...timestamptz({ decrypted_at: "when the answer arrived" }),
  ],
} as const satisfies TableSpec;

export const vaultWrites = {
  name: "vault_writes",
  about: "One row for each line of each run of `vault write`",
  columns: [
    ...varchar({ run_id: "the run" }),
    ...bigint({ line: "of its file" }),
    ...varchar({ fp_id: "the user", external_id: "as the file says" }),
    ...varchar({ status: "`written`, `partly_written`, `not_written`, `unknown`" }),
    ...varchar({ fields: "the data identifiers that the row gives, as a JSON list" }),
    ...varchar({ fields_written: "those that are certainly written; null if nobody knows" }),
    ...varchar({ reason: "why it is not `written`" }),
    ...varchar({ error_message: "what the service said when it refused the row" }),
    ...timestamptz({ written_at: "when the row was finished" }),
  ],
} as const satisfies TableSpec;
