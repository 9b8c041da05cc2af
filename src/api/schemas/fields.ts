import { z } from "zod";
import {
  amountProblem,
  hasLoneSurrogate,
  isAmount,
  isBlank,
  isDecimal,
  isIsoDate,
} from "../../domain/service/transaction-values.js";

// Messages are fixed text: they reach the quarantine table and logs, and must quote no value.

/** An object of an answer: other fields pass. */
export function looseObject<S extends z.ZodRawShape>(shape: S) {
  return z.looseObject(shape, "not an object");
}

/** An object of a request: other fields are refused. */
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

/** An id. */
export const keyText = anyText
  .refine((text) => !isBlank(text), { error: "blank", abort: true })
  .refine((text) => !hasLoneSurrogate(text), "has a lone surrogate");

export const filledText = anyText.refine((text) => !isBlank(text), "blank");

const decimal = (isRight: (text: string) => boolean) =>
  z
    .string("not a decimal string")
    .refine(isRight, { error: ({ input }) => amountProblem(String(input), "not a decimal string") });

/** Money; readers turn JSON numbers into texts before a float holds them. */
export const amountText = decimal(isAmount);

/** Money with any number of decimals. */
export const longAmountText = decimal(isDecimal);

/** A date-time counts as its day. */
export const dayText = z.string("not a day YYYY-MM-DD").refine(isIsoDate, "not a day YYYY-MM-DD");
