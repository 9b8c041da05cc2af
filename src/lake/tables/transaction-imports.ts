import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, date, money, timestamptz, varchar } from "./columns.js";

export const transactionImports = {
  name: "transaction_imports",
  about: "The ledger of imports, one row for each line of each run",
  columns: [
    ...varchar({ run_id: "the import's run" }),
    ...bigint({ line: "of its file" }),
    ...varchar({ link_id: "of the bank link", account_id: "the service's id of the account" }),
    ...varchar({ transaction_id: "as it was sent: the file's, or made from the row's content" }),
    ...money({ amount: "exact" }),
    ...date({ date: "the day of `date_text`" }),
    ...varchar({ date_text: "what the file says", status: "`accepted`, `refused`, `unknown`, `skipped`" }),
    ...varchar({ reason: "why it is not `accepted`" }),
    ...varchar({ chunk: "the link and the first line of the rows that were sent together" }),
    ...timestamptz({ imported_at: "when the chunk was finished" }),
    ...varchar({ seen_in_run: "run of the sync that first brought the row back; null while none has" }),
    ...varchar({ error_message: "what the service said when it refused the row" }),
  ],
} as const satisfies TableSpec;
