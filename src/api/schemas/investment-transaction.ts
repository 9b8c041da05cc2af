import { z } from "zod";
import { isAmount } from "../../domain/service/transaction-values.js";
import { dayText, filledText, keyText, optionalText } from "./texts.js";

// The document says text and its samples are JSON numbers; how exact a number is, only the raw body says.
const money = z
  .union([z.string(), z.number()], "not a decimal")
  .refine((value) => isAmount(String(value)), "not a decimal");
const optionalMoney = money.nullish();

/**
 * An investment transaction (docs/reference/service.md, "Investment transactions") that can be loaded;
 * unknown fields pass.
 */
export const investmentTransactionSchema = z.looseObject(
  {
    investment_transaction_id: keyText,
    account_id: keyText,
    amount: money,
    date: dayText,
    datetime: z.unknown().optional(),
    description: optionalText,
    type: filledText,
    fees: optionalMoney,
    forex_rate: optionalMoney,
    price: optionalMoney,
    quantity: optionalMoney,
    security_id: optionalText,
  },
  "not an object",
);
/** A security (docs/reference/service.md, "Investment transactions") that can be loaded. */
export const securitySchema = z.looseObject(
  {
    security_id: keyText,
    name: optionalText,
    currency: optionalText,
    type: optionalText,
    ticker: optionalText,
    isin: optionalText,
    sedol: optionalText,
    close_date: optionalText,
    close_price: optionalMoney,
  },
  "not an object",
);
