import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, date, encrypted, money, moneySum, timestamptz, varchar } from "./columns.js";

export const transactionImports = {
  name: "transaction_imports",
  about: "The ledger of imports, one row for each line of each run",
  columns: [
    ...varchar({ run_id: "the import's run" }),
    ...bigint({ line: "of its file" }),
    ...varchar({ link_id: "of the bank link", account_id: "of the account, as the file has it" }),
    ...varchar({ transaction_id: "as it was sent: the file's, or made from the row's content" }),
    ...money({ amount: "exact" }),
    ...date({ date: "the day of `date_text`" }),
    ...varchar({ date_text: "what the file says", status: "`accepted`, `refused`, `unknown`, `skipped`" }),
    ...varchar({ reason: "why it is not `accepted`" }),
    ...varchar({ chunk: "the link and the first line of the rows that were sent together" }),
    ...timestamptz({ imported_at: "when the chunk was finished" }),
    ...varchar({ error_message: "what the service said when it refused the row" }),
    ...varchar({ description: "as it was sent" }),
  ],
} as const satisfies TableSpec;

export const reconciliations = {
  name: "reconciliations",
  about: "What reconciliations came to: one row for each account and run",
  columns: [
    ...varchar({ run_id: "the run of the reconciliation" }),
    ...timestamptz({ reconciled_at: "when the user's last answer had arrived" }),
    ...varchar({ fp_id: "the user", link_id: "the bank link; null in a row about no account" }),
    ...varchar({ account_id: "the account; null in a row about no account" }),
    ...date({ date_from: "first day that was compared; null for all" }),
    ...date({ date_to: "last day that was compared; null for all" }),
    ...varchar({ status: "of the rows: `equal`, `differs`, `unknown`" }),
    ...varchar({ reason: "why it is unknown, or what may explain a difference" }),
    ...bigint({ lake_rows: "live rows of the account in `transactions`" }),
    ...bigint({ service_rows: "rows that the service lists" }),
    ...bigint({ missing_in_lake_rows: "rows that only the service has" }),
    ...varchar({ missing_in_lake: "JSON: the first hundred of their ids, sorted" }),
    ...bigint({ missing_at_service_rows: "rows that only the lake has" }),
    ...varchar({ missing_at_service: "JSON, likewise" }),
    ...bigint({ changed_rows: "rows that both have, with another amount, type, currency, date or pending" }),
    ...varchar({ changed: "JSON, likewise" }),
    ...moneySum({ lake_sum: "sum of `signed_amount` of the lake's rows" }),
    ...moneySum({ service_sum: "the same of the service's rows" }),
    ...moneySum({ difference: "`service_sum` less `lake_sum`" }),
    ...varchar({ balance_status: "of the balance: `equal`, `differs`, `unknown`" }),
    ...varchar({ balance_reason: "as `reason`" }),
    ...timestamptz({ balance_from: "when the last balance but one was first observed" }),
    ...timestamptz({ balance_to: "when the last balance was first observed" }),
    ...moneySum({ balance_change: "by how much `balance_current` changed between them" }),
    ...moneySum({ posted_sum: "signed amounts that became posted in between, less those that went" }),
    ...moneySum({ balance_difference: "`balance_change` less `posted_sum`" }),
  ],
} as const satisfies TableSpec;

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
