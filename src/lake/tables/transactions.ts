import type { Column, TableSpec } from "../delta/delta-schema.js";

const IDENTITY = [
  { name: "link_id", type: "VARCHAR" },
  { name: "fp_id", type: "VARCHAR" },
  { name: "transaction_id", type: "VARCHAR" },
] as const satisfies readonly Column[];

const SEQUENCE = { name: "sequence", type: "BIGINT" } as const satisfies Column;
const GENERATION = { name: "generation", type: "INTEGER" } as const satisfies Column;

const VALUES = [
  { name: "account_id", type: "VARCHAR" },
  { name: "amount", type: "DECIMAL(28,10)" },
  { name: "signed_amount", type: "DECIMAL(28,10)" },
  { name: "currency", type: "VARCHAR" },
  { name: "date", type: "DATE" },
  { name: "datetime", type: "TIMESTAMPTZ" },
  { name: "datetime_text", type: "VARCHAR" },
  { name: "type", type: "VARCHAR" },
  { name: "pending", type: "BOOLEAN" },
  { name: "description", type: "VARCHAR" },
  { name: "raw_description", type: "VARCHAR" },
  { name: "category", type: "VARCHAR" },
  { name: "enrichment_category", type: "VARCHAR" },
  { name: "enrichment_category_confidence", type: "DECIMAL(18,10)" },
  { name: "enrichment_subcategory", type: "VARCHAR" },
  { name: "enrichment_subcategory_confidence", type: "DECIMAL(18,10)" },
  { name: "merchant_id", type: "VARCHAR" },
  { name: "merchant_name", type: "VARCHAR" },
  { name: "merchant_logo", type: "VARCHAR" },
  { name: "merchant_confidence", type: "DECIMAL(18,10)" },
  { name: "processor_id", type: "VARCHAR" },
  { name: "processor_name", type: "VARCHAR" },
  { name: "processor_logo", type: "VARCHAR" },
  { name: "processor_confidence", type: "DECIMAL(18,10)" },
  { name: "run_id", type: "VARCHAR" },
  { name: "fetched_at", type: "TIMESTAMPTZ" },
] as const satisfies readonly Column[];

/** The feed: every created, updated and removed ever received, in order. */
export const transactionChanges = {
  name: "transaction_changes",
  feed: true,
  columns: [
    ...IDENTITY,
    { name: "change_type", type: "VARCHAR" },
    SEQUENCE,
    GENERATION,
    { name: "inferred", type: "BOOLEAN" },
    ...VALUES,
  ],
} as const satisfies TableSpec;

/** Current state: one row per live (`link_id`, `transaction_id`). */
export const transactions = {
  name: "transactions",
  columns: [...IDENTITY, SEQUENCE, GENERATION, ...VALUES],
} as const satisfies TableSpec;
