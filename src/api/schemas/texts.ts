import { z } from "zod";
import { hasLoneSurrogate, isAmount, isBlank, isRealDay } from "../../domain/service/transaction-values.js";

// Every message is fixed text: reasons stand in the quarantine table and in logs, and may not quote a row.

/** An id: text that is not blank and has no lone surrogate. */
export const keyText = z
  .string("not text")
  .refine((text) => !isBlank(text), { error: "blank", abort: true })
  .refine((text) => !hasLoneSurrogate(text), "has a lone surrogate");

/** Text that must be there and say something. */
export const filledText = z.string("not text").refine((text) => !isBlank(text), "blank");

/** Text, null or absent. */
export const optionalText = z.string("not text").nullish();

/** Money as a JSON string; a JSON number would have gone through a float somewhere. */
export const amountText = z.string("not a decimal string").refine(isAmount, "not a decimal string");

/** A calendar day. */
export const dayText = z.string("not a day YYYY-MM-DD").refine(isRealDay, "not a day YYYY-MM-DD");

/** True, false, null or absent. */
export const optionalFlag = z.boolean("not true or false").nullish();
