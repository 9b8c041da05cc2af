import { z } from "zod";
import {
  amountProblem,
  hasLoneSurrogate,
  isAmount,
  isBlank,
  isDecimal,
  isIsoDate,
} from "../../domain/service/transaction-values.js";

// Every message is fixed text: it reaches the quarantine table and the logs, so it must not quote a value.

/** An object of an answer: fields that are not named here pass. */
export function looseObject<S extends z.ZodRawShape>(shape: S) {
  return z.looseObject(shape, "not an object");
}

/** An object of a request: a field that is not named here is refused. */
export function strictObject<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, "not an object");
}

export function listOf<S extends z.ZodType>(item: S) {
  return z.array(item, "not a list");
}

export function each<S extends z.ZodType, N extends string>(kind: S, ...names: readonly N[]): Record<N, S> {
  return Object.fromEntries(names.map((name) => [name, kind])) as Record<N, S>;
}

export const anyText = z.string("not text");
export const optionalText = anyText.nullish();
export const flag = z.boolean("not true or false");
export const optionalFlag = flag.nullish();
export const integer = z.int("not an integer");

/** An id: text that is not blank and has no lone surrogate. */
export const keyText = anyText
  .refine((text) => !isBlank(text), { error: "blank", abort: true })
  .refine((text) => !hasLoneSurrogate(text), "has a lone surrogate");

export const filledText = anyText.refine((text) => !isBlank(text), "blank");

const decimal = (isRight: (text: string) => boolean) =>
  z
    .string("not a decimal string")
    .refine(isRight, { error: ({ input }) => amountProblem(String(input), "not a decimal string") });

/** Money as a JSON string; whoever reads an answer makes texts of its JSON numbers first, before a float holds them. */
export const amountText = decimal(isAmount);

/** Money of a row that is kept whatever the decimals. */
export const longAmountText = decimal(isDecimal);

/** A day, or a date-time of which only the day counts. */
export const dayText = z.string("not a day YYYY-MM-DD").refine(isIsoDate, "not a day YYYY-MM-DD");
