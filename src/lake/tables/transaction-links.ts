import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, boolean, date, money, varchar } from "./columns.js";

export const transactionLinks = {
  name: "transaction_links",
  about: "What became of each pending transaction that was removed: one row for each such removal",
  columns: [
    ...varchar({ link_id: "the bank link", fp_id: "the user", account_id: "the account, the same for both" }),
    ...varchar({ pending_transaction_id: "the pending transaction that was removed" }),
    ...varchar({ posted_transaction_id: "what it became" }),
    ...varchar({ tier: "`exact`, `amount_changed`, `ambiguous`, `waiting` or `returned`" }),
    ...varchar({ candidate_tier: "the best tier at which posted transactions fitted" }),
    ...bigint({ posted_candidates: "posted transactions that fitted at that tier" }),
    ...bigint({ pending_candidates: "the most removed pending ones, this one included" }),
    ...varchar({ candidate_ids: "the first ten of those posted ones, as a JSON array; null for none" }),
    ...varchar({ currency: "the same for both", type: "of the pending one" }),
    ...money({ pending_signed_amount: "the last one that it had" }),
    ...money({ posted_signed_amount: "when it came; null without a posted one" }),
    ...date({ pending_date: "the last one that it had" }),
    ...date({ posted_date: "when it came; null without a posted one" }),
    ...varchar({ merchant_id: "of the pending one", description: "of the pending one" }),
    ...varchar({ removed_run_id: "the run that removed the pending one" }),
    ...bigint({ removed_sequence: "the removal in the feed; with `link_id` it identifies the row" }),
    ...boolean({ removal_inferred: "true if the service did not send the removal" }),
    ...varchar({ posted_run_id: "the run that brought the posted one" }),
    ...bigint({ posted_sequence: "its change in the feed" }),
  ],
} as const satisfies TableSpec;
