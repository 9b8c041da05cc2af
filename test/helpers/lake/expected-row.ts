import { decimalText, decimalUnits, type TruthRow } from "../../../sandbox/index.js";

/** What `expectedRow` says of a row, as SQL reads it from `transactions`. */
export const COMPARED = `link_id, fp_id, transaction_id, account_id, cast(amount as varchar) as amount,
  cast(signed_amount as varchar) as signed_amount, currency, cast(date as varchar) as date, datetime_text, type,
  pending, description, raw_description, category, enrichment_category,
  cast(enrichment_category_confidence as varchar) as enrichment_category_confidence, enrichment_subcategory,
  cast(enrichment_subcategory_confidence as varchar) as enrichment_subcategory_confidence, merchant_id,
  merchant_name, merchant_logo, cast(merchant_confidence as varchar) as merchant_confidence, processor_id,
  processor_name, processor_logo, cast(processor_confidence as varchar) as processor_confidence`;

interface Scored {
  readonly value?: string;
  readonly id?: string;
  readonly name?: string;
  readonly logo?: string;
  readonly confidence?: string | number;
}

/**
 * A row of the stand-in's truth in the columns of `transactions`, by
 * docs/use/tables.md, "Accepted values", alone.
 */
export function expectedRow({ link_id, fp_id, transaction_id, values = {} }: TruthRow) {
  const text = (name: string) => (values[name] ?? null) as string | null;
  const enrichment = (values.enrichment ?? {}) as Record<string, Scored | null | undefined>;
  const { category, subcategory, merchant, processor } = enrichment;
  const units = decimalUnits(values.amount) ?? 0n;
  const size = units < 0n ? -units : units;
  return {
    link_id,
    fp_id,
    transaction_id,
    account_id: text("account_id"),
    amount: decimalText(units),
    signed_amount: decimalText(values.type === "credit" ? size : -size),
    currency: text("currency"),
    date: text("date"),
    datetime_text: text("datetime"),
    type: text("type"),
    pending: values.pending ?? null,
    description: text("description"),
    raw_description: text("raw_description"),
    category: text("category"),
    enrichment_category: category?.value ?? null,
    enrichment_category_confidence: score(category),
    enrichment_subcategory: subcategory?.value ?? null,
    enrichment_subcategory_confidence: score(subcategory),
    merchant_id: merchant?.id ?? null,
    merchant_name: merchant?.name ?? null,
    merchant_logo: merchant?.logo ?? null,
    merchant_confidence: score(merchant),
    processor_id: processor?.id ?? null,
    processor_name: processor?.name ?? null,
    processor_logo: processor?.logo ?? null,
    processor_confidence: score(processor),
  };
}

function score(scored: Scored | null | undefined): string | null {
  if (scored?.confidence === undefined) return null;
  return decimalText(decimalUnits(String(scored.confidence)) ?? 0n);
}
