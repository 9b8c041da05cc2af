import { z } from "zod";
import { TRANSACTION_TYPES } from "../../domain/service/transaction-values.js";
import { amountText, dayText, filledText, keyText, optionalFlag, optionalText } from "./texts.js";

// A score never quarantines money: confidences are not looked at here (docs/use/tables.md, "Accepted values").
const scored = z.looseObject({ value: optionalText }, "not an object").nullish();
const party = z
  .looseObject({ id: optionalText, name: optionalText, logo: optionalText }, "not an object")
  .nullish();

/**
 * A bank transaction (docs/reference/service.md, "Bank transactions") that can be loaded. `datetime` may be anything: a
 * bad one costs the instant, never the row. Unknown fields pass.
 */
export const bankTransactionSchema = z.looseObject(
  {
    transaction_id: keyText,
    account_id: keyText,
    amount: amountText,
    currency: filledText,
    date: dayText,
    datetime: z.unknown().optional(),
    type: z.enum(TRANSACTION_TYPES, "not debit or credit"),
    pending: optionalFlag,
    description: optionalText,
    raw_description: optionalText,
    category: optionalText,
    enrichment: z
      .looseObject(
        { category: scored, subcategory: scored, merchant: party, processor: party },
        "not an object",
      )
      .nullish(),
  },
  "not an object",
);
/** An entry of a sync's `removed`: the id of a transaction that is gone. */
export const removedIdSchema = keyText;
