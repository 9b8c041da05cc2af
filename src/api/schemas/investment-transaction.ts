import { z } from "zod";
import { amountProblem, isAmount } from "../../domain/service/transaction-values.js";
import { dayText, each, filledText, keyText, looseObject, optionalText } from "./fields.js";

// The document says text and its samples are JSON numbers; only the raw body shows how exact a number is.
const money = z.union([z.string(), z.number()], "not a decimal").refine((value) => isAmount(String(value)), {
  error: ({ input }) => amountProblem(String(input), "not a decimal"),
});
const optionalMoney = money.nullish();

/**
 * An investment transaction (docs/reference/service.md, "Investment transactions") that can be loaded;
 * unknown fields pass.
 */
export const investmentTransactionSchema = looseObject({
  investment_transaction_id: keyText,
  account_id: keyText,
  amount: money,
  date: dayText,
  datetime: z.unknown().optional(),
  type: filledText,
  ...each(optionalText, "description", "security_id"),
  ...each(optionalMoney, "fees", "forex_rate", "price", "quantity"),
});

/** A security (docs/reference/service.md, "Investment transactions") that can be loaded. */
export const securitySchema = looseObject({
  security_id: keyText,
  ...each(optionalText, "name", "currency", "type", "ticker", "isin", "sedol", "close_date"),
  close_price: optionalMoney,
});
