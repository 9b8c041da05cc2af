import { z } from "zod";
import { isAmount, isIsoDate } from "../../domain/service/transaction-values.js";
import { canonicalTransform, TRANSFORM_FORMS, transformProblem } from "../../domain/service/transform.js";
import {
  acceptedIdentifiers,
  type IdentifierUse,
  identifierProblem,
} from "../../domain/service/vault/vault-identifier.js";
import { anyText, filledText, listOf } from "./fields.js";

export const nonBlankText = filledText.describe("text that is not blank");

/** JSON leaves undefined out. */
const jsonValue = z.unknown().refine((value) => value === undefined || isJson(value), "not a JSON value");

export const jsonObject = mapOf(jsonValue).describe("an object of JSON values");

/**
 * A string, integer, boolean or object (docs/reference/service.md, "Data identifiers"), or a list ("Beyond the
 * contract").
 */
const vaultValue = z.union(
  [z.string(), z.int(), z.boolean(), jsonObject, z.array(jsonValue)],
  "not text, an integer, true or false, an object or a list",
);

/** docs/reference/service.md, "Accepted identifiers". */
export function identifiers(use: IdentifierUse) {
  return listOf(ruled(anyText, (text) => identifierProblem(use, text)?.rule))
    .nonempty("empty")
    .describe(`a list of data identifiers: ${acceptedIdentifiers(use)}`);
}

/** Values by data identifier (docs/reference/service.md, "Data identifiers"). */
export function vaultMap(use: IdentifierUse) {
  return mapOf(vaultValue)
    .superRefine((map, context) => {
      for (const identifier of Object.keys(map)) {
        const message = identifierProblem(use, identifier)?.rule;
        if (message !== undefined) context.addIssue({ code: "custom", path: [identifier], message });
      }
    })
    .describe(
      `an object from data identifiers (${acceptedIdentifiers(use)}) to text, integers, true or false, objects or lists`,
    );
}

/** Sent in their canonical form (docs/reference/service.md, "Transforms"). */
export const transforms = listOf(ruled(anyText, transformProblem).transform(canonicalTransform)).describe(
  `a list of: ${TRANSFORM_FORMS}; a quote or backslash inside an argument has a backslash before it`,
);

export const amount = anyText
  .refine(isAmount, "not a decimal number")
  .describe("a decimal number as text, such as -12.50");

export const isoDate = anyText
  .refine(isIsoDate, "not an ISO 8601 date")
  .describe("an ISO 8601 date, YYYY-MM-DD, or with a time");

/** A text with a rule; `problem` must not quote it. */
export function ruled<S extends z.ZodType<string>>(schema: S, problem: (text: string) => string | undefined) {
  return schema.superRefine((text, context) => {
    const found = problem(text);
    if (found !== undefined) context.addIssue({ code: "custom", message: found });
  });
}

/** `z.record` would leave out a field named `__proto__`. */
function mapOf<S extends z.ZodType>(value: S) {
  return z
    .custom<Readonly<Record<string, z.input<S>>>>(isPlainObject, "not an object")
    .superRefine((map, context) => {
      for (const [name, item] of Object.entries(map)) {
        const issue = value.safeParse(item).error?.issues[0];
        if (issue === undefined) continue;
        context.addIssue({ code: "custom", path: [name, ...issue.path], message: issue.message });
      }
    });
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isPlainObject(value) && Object.values(value).every((item) => item === undefined || isJson(item));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
