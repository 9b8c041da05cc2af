import { amountText, each, keyText, looseObject, optionalFlag, optionalText } from "./fields.js";

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
    ...each(amountText.nullish(), "available", "current", "limit"),
    ...each(optionalText, "currency", "balance_date"),
  }).nullish(),
});
