import { z } from "zod";
import { UnsendableError } from "../../domain/failures.js";
import { isRealDay } from "../../domain/service/transaction-values.js";
import { ruled } from "./body-fields.js";
import { anyText, each, integer, listOf, strictObject } from "./fields.js";

export const pathId = ruled(anyText, segmentProblem).describe(
  "the id as the service issued it, without slashes",
);

/** Parameters of an operation whose path names these ids. */
export function ids<Name extends string>(...names: readonly Name[]) {
  return { path: strictObject(each(pathId, ...names)), query: strictObject({}) };
}

export const positive = integer.positive("not positive").describe("an integer from 1");

/** docs/reference/service.md, "Limits". */
const listPageSize = positive.max(100, "more than 100").describe("an integer from 1 to 100");

/** Left out for the complete history, never sent empty. */
export const cursor = anyText
  .min(1, "empty: leave it out to read the complete history")
  .describe("the `cursor.next` of the answer before; left out for the complete history");

const day = anyText.refine(isRealDay, "not a day YYYY-MM-DD");

/** Without days, the service lists the last 90 only. */
export const ALL_DAYS = { start_date: "1900-01-01", end_date: "2999-12-31" } as const;

const dayWords = (name: keyof typeof ALL_DAYS) =>
  `a day of the calendar, YYYY-MM-DD; ${ALL_DAYS[name]} when left out`;

/** Account ids are joined by commas, so none may hold one. */
export const listQuery = strictObject({
  account_ids: listOf(anyText.regex(/^[^,]+$/, "empty or with a comma"))
    .nonempty("empty")
    .optional()
    .describe("a list of account ids without commas; left out for all accounts"),
  start_date: day.default(ALL_DAYS.start_date).describe(dayWords("start_date")),
  end_date: day.default(ALL_DAYS.end_date).describe(dayWords("end_date")),
  page: positive.optional().describe("an integer from 1; 1 when left out"),
  size: listPageSize.optional(),
});

/** The contract shows no bounds of `page_size` (docs/reference/service.md, "Onboarding lists"). */
export const onboardingListQuery = strictObject({
  ...each(positive.optional(), "page", "page_size"),
});

/** Each row is checked on its own. */
export const rows = listOf(z.unknown());

export const pageCounts = {
  ...each(integer, "page", "size"),
  total: integer.nonnegative("negative"),
};

export const emptyAnswer = z.looseObject({});

const CONTROL_OR_SURROGATE = /[\p{Cc}\p{Surrogate}]/u;

/**
 * Fills `/users/{fp_id}`, each value as exactly one segment.
 * @throws UnsendableError for a value that a server might read as none or several segments
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const problem = segmentProblem(values[name]);
    if (problem === undefined) return encodeURIComponent(values[name] as string);
    const rule = `path parameter ${name} ${problem}`;
    throw new UnsendableError(rule, `${rule}; nothing was sent. Give the id as the service issued it`);
  });
}

/** Why a value can't be a path segment, without quoting it. */
export function segmentProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "is not text";
  if (value === "") return "is empty";
  if (value === "." || value === "..") return "is a relative path";
  if (/[/\\]/.test(value)) return "has a slash";
  if (CONTROL_OR_SURROGATE.test(value)) return "has a control character or a lone surrogate";
  return undefined;
}
