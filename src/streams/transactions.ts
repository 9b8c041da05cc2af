import { syncTransactions } from "../api/operations/bank-data.js";
import { bankTransactionSchema, removedIdSchema } from "../api/schemas/transaction.js";
import { transactionChanges } from "../lake/tables/transactions.js";
import { knownFields, rowType } from "./row-shape.js";
import { dayIn, exactAmount, instant, type Stream } from "./stream.js";

const TEXT = "VARCHAR";
const SCORED = { value: TEXT, confidence: TEXT };
const PARTY = { id: TEXT, name: TEXT, logo: TEXT, confidence: TEXT };
const SHAPE = {
  ...{ transaction_id: TEXT, account_id: TEXT, amount: TEXT, currency: TEXT, date: TEXT, datetime: TEXT },
  ...{ type: TEXT, pending: "BOOLEAN", description: TEXT, raw_description: TEXT, category: TEXT },
  enrichment: { category: SCORED, subcategory: SCORED, merchant: PARTY, processor: PARTY },
};
const ROW = rowType(SHAPE);
const FIELDS = knownFields(SHAPE);

const confidence = (text: string) => `try_cast(${text} as decimal(18,10))`;

const SCORE = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;

/** Neither a number nor a numeric text (docs/use/tables.md, "Accepted values"). */
function unreadableScores(row: unknown): number {
  const { enrichment } = row as { enrichment?: Record<string, { confidence?: unknown } | null> | null };
  if (enrichment === null || enrichment === undefined) return 0;
  let count = 0;
  for (const name of ["category", "subcategory", "merchant", "processor"]) {
    const confidence = enrichment[name]?.confidence ?? 0;
    if (typeof confidence === "string" ? !SCORE.test(confidence) : !Number.isFinite(confidence)) count += 1;
  }
  return count;
}

/**
 * GET /bank_links/{link_id}/transactions/sync into `transaction_changes`
 * (docs/reference/service.md, "Bank transactions" and "Sync operation").
 */
export const transactionStream: Stream = {
  name: "transactions",
  operation: syncTransactions,
  per: "link",
  paging: "cursor",
  lists: [
    {
      name: "created",
      path: ["transactions", "created"],
      row: bankTransactionSchema,
      fields: FIELDS,
      unreadableScores,
    },
    {
      name: "updated",
      path: ["transactions", "updated"],
      row: bankTransactionSchema,
      fields: FIELDS,
      unreadableScores,
    },
    { name: "removed", path: ["transactions", "removed"], row: removedIdSchema },
  ],
  exactNumbers: new Set(["amount"]),
  table: transactionChanges,
  pageType: `STRUCT(transactions STRUCT(created ${ROW}[], updated ${ROW}[], removed VARCHAR[]))`,
  projection: `
    with list as (
      select page_no, transactions.created as created, transactions.updated as updated,
        transactions.removed as removed, len(transactions.created) as n, len(transactions.updated) as m
      from page
    ), entry as (
      select page_no, 'created' as change_type, unnest(created) as r, null::varchar as gone,
        generate_subscripts(created, 1) as place from list
      union all
      select page_no, 'updated', unnest(updated), null, n + generate_subscripts(updated, 1) from list
      union all
      select page_no, 'removed', null, unnest(removed), n + m + generate_subscripts(removed, 1) from list
    ), exact as (
      select entry.*, ${exactAmount("r.amount")} as amount
      from entry where r is not null or gone is not null
    )
    select o.link_id, o.fp_id, coalesce(gone, r.transaction_id) as transaction_id, change_type,
      o.sequence_from + place - 1 as sequence, o.generation, false as inferred,
      r.account_id as account_id, amount,
      case r."type" when 'credit' then abs(amount) when 'debit' then -abs(amount) end as signed_amount,
      r.currency as currency, ${dayIn('r."date"')} as "date", ${instant("r.datetime")} as datetime,
      r.datetime as datetime_text, r."type" as "type", r.pending as pending,
      r.description as description, r.raw_description as raw_description, r.category as category,
      r.enrichment.category."value" as enrichment_category,
      ${confidence("r.enrichment.category.confidence")} as enrichment_category_confidence,
      r.enrichment.subcategory."value" as enrichment_subcategory,
      ${confidence("r.enrichment.subcategory.confidence")} as enrichment_subcategory_confidence,
      r.enrichment.merchant.id as merchant_id, r.enrichment.merchant.name as merchant_name,
      r.enrichment.merchant.logo as merchant_logo,
      ${confidence("r.enrichment.merchant.confidence")} as merchant_confidence,
      r.enrichment.processor.id as processor_id, r.enrichment.processor.name as processor_name,
      r.enrichment.processor.logo as processor_logo,
      ${confidence("r.enrichment.processor.confidence")} as processor_confidence,
      o.run_id, o.fetched_at, o.page, r.other_fields as other_fields, o.external_id
    from exact join origin o using (page_no)`,
};
