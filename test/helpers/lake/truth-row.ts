import { decimalText, decimalUnits, type TruthRow } from "../../../sandbox/index.js";
import type { Row } from "../sync/sync-harness.js";

type Values = Readonly<Record<string, unknown>>;

/** The columns of `transactions` that say what the service said; made again here, without SQL. */
export function truthRow({ link_id, fp_id, transaction_id, values = {} }: TruthRow): Row {
  const enrichment = objectOr(values.enrichment);
  const { category, subcategory, merchant, processor } = Object.fromEntries(
    ["category", "subcategory", "merchant", "processor"].map((name) => [name, objectOr(enrichment[name])]),
  ) as Record<"category" | "subcategory" | "merchant" | "processor", Values>;
  const units = decimalUnits(values.amount) ?? 0n;
  const size = units < 0n ? -units : units;
  return {
    link_id,
    fp_id,
    transaction_id,
    account_id: text(values.account_id),
    amount: decimalText(units),
    signed_amount: decimalText(values.type === "credit" ? size : -size),
    currency: text(values.currency),
    date: text(values.date),
    datetime: instantOf(values.datetime),
    datetime_text: text(values.datetime),
    type: text(values.type),
    pending: typeof values.pending === "boolean" ? values.pending : null,
    description: text(values.description),
    raw_description: text(values.raw_description),
    category: text(values.category),
    enrichment_category: text(category.value),
    enrichment_category_confidence: scoreOf(category.confidence),
    enrichment_subcategory: text(subcategory.value),
    enrichment_subcategory_confidence: scoreOf(subcategory.confidence),
    merchant_id: text(merchant.id),
    merchant_name: text(merchant.name),
    merchant_logo: text(merchant.logo),
    merchant_confidence: scoreOf(merchant.confidence),
    processor_id: text(processor.id),
    processor_name: text(processor.name),
    processor_logo: text(processor.logo),
    processor_confidence: scoreOf(processor.confidence),
  };
}

/** The columns that {@link truthRow} makes. */
export const TRUTH_COLUMNS = Object.keys(
  truthRow({ link_id: "", fp_id: "", transaction_id: "", position: 0, text: "", values: {} }),
);

function objectOr(value: unknown): Values {
  return typeof value === "object" && value !== null ? (value as Values) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value.replaceAll(/\p{Surrogate}/gu, "\ufffd") : null;
}

/** A score with ten decimals; the worlds' scores have fewer, so nothing is rounded here. */
function scoreOf(value: unknown): string | null {
  if (typeof value !== "number" && typeof value !== "string") return null;
  const units = decimalUnits(String(value));
  return units === undefined ? null : decimalText(units);
}

/** The instant of a text with an offset, to the microsecond. */
function instantOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const match = /^(.*T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)$/.exec(value);
  if (match === null) return null;
  const [, clock = "", fraction = "", zone = ""] = match;
  const offset = zone === "Z" ? zone : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  const seconds = new Date(`${clock}${offset}`).toISOString().slice(0, 19);
  return `${seconds}.${fraction.padEnd(6, "0").slice(0, 6)}Z`;
}
