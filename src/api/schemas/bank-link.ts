import { z } from "zod";
import { amountProblem, isAmount } from "../../domain/service/transaction-values.js";
import { each, filledText, keyText, looseObject, optionalFlag, optionalText } from "./fields.js";
import { segmentProblem } from "./parameters.js";

// The id becomes a path segment when transactions are read, so it is checked here.
const linkId = keyText.refine((id) => segmentProblem(id) === undefined, "can't be part of a path");

// Numbers whose value a double would change are texts before a row is checked.
const balance = z
  .union([z.string(), z.number()], "not a decimal string")
  .refine((value) => isAmount(String(value)), {
    error: ({ input }) => amountProblem(String(input), "not a decimal string"),
  });

/**
 * A bank link (docs/reference/service.md, "Bank links"). Only what a sync needs is required: a link with an
 * odd optional field must not lose its transactions. An unknown `state` passes;
 * `available_products`, `products` and `tags` are kept as JSON, whatever they are.
 */
export const bankLinkSchema = looseObject({
  id: linkId,
  state: filledText,
  ...each(optionalText, "fp_id", "created_at", "error_code", "external_id", "provider"),
  ...each(optionalText, "institution_id", "institution_name", "institution_logo"),
});

/**
 * A bank account (docs/reference/service.md, "Bank accounts"). An unknown `account_type` passes, `raw_provider_data`
 * may be anything; balances are money and follow the rule of `amount`.
 */
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
