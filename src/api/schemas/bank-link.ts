import { z } from "zod";
import { amountProblem, isAmount } from "../../domain/service/transaction-values.js";
import { each, filledText, keyText, looseObject, optionalFlag, optionalText } from "./fields.js";
import { segmentProblem } from "./parameters.js";

// It becomes a path segment when transactions are read.
const linkId = keyText.refine((id) => segmentProblem(id) === undefined, "can't be part of a path");

// Numbers that a double would change came as text.
const balance = z
  .union([z.string(), z.number()], "not a decimal string")
  .refine((value) => isAmount(String(value)), {
    error: ({ input }) => amountProblem(String(input), "not a decimal string"),
  });

/**
 * docs/reference/service.md, "Bank links". Only what a sync needs is required: an odd optional field must not cost a
 * link its transactions.
 */
export const bankLinkSchema = looseObject({
  id: linkId,
  state: filledText,
  ...each(optionalText, "fp_id", "created_at", "error_code", "external_id", "provider"),
  ...each(optionalText, "institution_id", "institution_name", "institution_logo"),
});

/** docs/reference/service.md, "Bank accounts". Balances are money, by the rule of `amount`. */
export const bankAccountSchema = looseObject({
  id: keyText,
  link_id: keyText,
  ...each(optionalText, "name", "nickname", "mask", "account_type"),
  closed: optionalFlag,
  balances: looseObject({
    ...each(balance.nullish(), "available", "current", "limit"),
    ...each(optionalText, "currency", "balance_date"),
  }).nullish(),
});
