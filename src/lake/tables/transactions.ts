import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, boolean, confidence, date, integer, money, timestamptz, varchar } from "./columns.js";

const IDENTITY = varchar({
  link_id: "the bank link",
  fp_id: "the user",
  transaction_id: "the transaction; unique within its link, not beyond",
});
const ORDER = [
  ...bigint({ sequence: "order within the link" }),
  ...integer({ generation: "1, and one more with every full resync of the link" }),
] as const;

const VALUES = [
  ...varchar({ account_id: "the account" }),
  ...money({ amount: "as the service gave it" }),
  ...money({ signed_amount: "positive for a credit, negative for a debit" }),
  ...varchar({ currency: "as given, usually ISO 4217" }),
  ...date({ date: "the day, as the bank gives it" }),
  ...timestamptz({ datetime: "the instant, if the bank gave one with an offset" }),
  ...varchar({ datetime_text: "the whole text that the bank gave", type: "`debit` or `credit`" }),
  ...boolean({ pending: "true until it is posted" }),
  ...varchar({ description: "cleaned by the service", raw_description: "the institution's own" }),
  ...varchar({ category: "deprecated by the service; use the enrichment", enrichment_category: "category" }),
  ...confidence({ enrichment_category_confidence: "how sure the service is of it" }),
  ...varchar({ enrichment_subcategory: "subcategory" }),
  ...confidence({ enrichment_subcategory_confidence: "how sure the service is of it" }),
  ...varchar({ merchant_id: "merchant", merchant_name: "its name", merchant_logo: "address of its logo" }),
  ...confidence({ merchant_confidence: "how sure the service is of it" }),
  ...varchar({ processor_id: "payment processor", processor_name: "its name" }),
  ...varchar({ processor_logo: "address of its logo" }),
  ...confidence({ processor_confidence: "how sure the service is of it" }),
  ...varchar({ run_id: "the run that wrote the row" }),
  ...timestamptz({ fetched_at: "when the response arrived; the same after a repeated load" }),
] as const;

/** Columns are only added at the end. */
const LATER = varchar({
  other_fields: "fields without a column, as JSON; null if there are none",
  external_id: "yours, as the roster said when the row was read; null where it said none",
});

export const transactionChanges = {
  name: "transaction_changes",
  about: "The feed: every created, updated and removed transaction ever received",
  feed: true,
  columns: [
    ...IDENTITY,
    ...varchar({ change_type: "`created`, `updated` or `removed`" }),
    ...ORDER,
    ...boolean({ inferred: "true for a `removed` row that the service did not send" }),
    ...VALUES,
    ...integer({ page: "page of its update, from 0; null for an inferred removal" }),
    ...LATER,
  ],
} as const satisfies TableSpec;

export const transactions = {
  name: "transactions",
  about: "Current state: one row for each live (`link_id`, `transaction_id`)",
  columns: [...IDENTITY, ...ORDER, ...VALUES, ...LATER],
} as const satisfies TableSpec;
