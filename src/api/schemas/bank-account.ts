import { z } from "zod";
import { amountText, keyText, optionalFlag, optionalText } from "./texts.js";

const optionalAmount = amountText.nullish();

/**
 * A bank account (docs/reference/service.md, "Bank accounts"). An unknown `account_type` passes, `raw_provider_data`
 * may be anything; balances are money and follow the rule of `amount`.
 */
export const bankAccountSchema = z.looseObject(
  {
    id: keyText,
    link_id: keyText,
    name: optionalText,
    nickname: optionalText,
    mask: optionalText,
    closed: optionalFlag,
    account_type: optionalText,
    balances: z
      .looseObject(
        {
          available: optionalAmount,
          current: optionalAmount,
          limit: optionalAmount,
          currency: optionalText,
          balance_date: optionalText,
        },
        "not an object",
      )
      .nullish(),
  },
  "not an object",
);
