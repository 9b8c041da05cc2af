import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, boolean, confidence, date, integer, money, timestamptz, varchar } from "./columns.js";

const IDENTITY = varchar("link_id", "fp_id", "transaction_id");
const ORDER = [...bigint("sequence"), ...integer("generation")] as const;

const VALUES = [
  ...varchar("account_id"),
  ...money("amount", "signed_amount"),
  ...varchar("currency"),
  ...date("date"),
  ...timestamptz("datetime"),
  ...varchar("datetime_text", "type"),
  ...boolean("pending"),
  ...varchar("description", "raw_description", "category", "enrichment_category"),
  ...confidence("enrichment_category_confidence"),
  ...varchar("enrichment_subcategory"),
  ...confidence("enrichment_subcategory_confidence"),
  ...varchar("merchant_id", "merchant_name", "merchant_logo"),
  ...confidence("merchant_confidence"),
  ...varchar("processor_id", "processor_name", "processor_logo"),
  ...confidence("processor_confidence"),
  ...varchar("run_id"),
  ...timestamptz("fetched_at"),
] as const;

/** Values that came after the others: columns are only added at the end. */
const LATER = varchar("other_fields");

/** The feed: every created, updated and removed transaction ever received, in order. */
export const transactionChanges = {
  name: "transaction_changes",
  feed: true,
  columns: [
    ...IDENTITY,
    ...varchar("change_type"),
    ...ORDER,
    ...boolean("inferred"),
    ...VALUES,
    ...integer("page"),
    ...LATER,
  ],
} as const satisfies TableSpec;

/** The current state: one row per live (`link_id`, `transaction_id`). */
export const transactions = {
  name: "transactions",
  columns: [...IDENTITY, ...ORDER, ...VALUES, ...LATER],
} as const satisfies TableSpec;
