import { z } from "zod";
import { TRANSACTION_TYPES } from "../../domain/service/transaction-values.js";
import {
  amountText,
  dayText,
  each,
  filledText,
  keyText,
  longAmountText,
  looseObject,
  optionalFlag,
  optionalText,
} from "./fields.js";

// A bad score must never quarantine money (docs/use/tables.md, "Accepted values").
const scored = looseObject({ value: optionalText }).nullish();
const party = looseObject(each(optionalText, "id", "name", "logo")).nullish();

/** docs/reference/service.md, "Bank transactions". A bad `datetime` costs the instant, never the row. */
export const bankTransactionSchema = looseObject({
  transaction_id: keyText,
  account_id: keyText,
  amount: amountText,
  currency: filledText,
  date: dayText,
  datetime: z.unknown().optional(),
  type: z.enum(TRANSACTION_TYPES, "not debit or credit"),
  pending: optionalFlag,
  ...each(optionalText, "description", "raw_description", "category"),
  enrichment: looseObject({
    category: scored,
    subcategory: scored,
    merchant: party,
    processor: party,
  }).nullish(),
});

export const removedIdSchema = keyText;

const optionalMoney = longAmountText.nullish();

/** docs/reference/service.md, "Investment transactions". */
export const investmentTransactionSchema = looseObject({
  investment_transaction_id: keyText,
  account_id: keyText,
  amount: longAmountText,
  date: dayText,
  datetime: z.unknown().optional(),
  type: filledText,
  ...each(optionalText, "description", "security_id"),
  ...each(optionalMoney, "fees", "forex_rate", "price", "quantity"),
});

/** docs/reference/service.md, "Investment transactions". */
export const securitySchema = looseObject({
  security_id: keyText,
  ...each(optionalText, "name", "currency", "type", "ticker", "isin", "sedol", "close_date"),
  close_price: optionalMoney,
});
